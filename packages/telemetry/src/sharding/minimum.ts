import type { KubeObject } from '@signalbox/cluster';
import type { Fact } from '../resources/condition.ts';
import { minShardsAnnotation, minShardsOf } from '../resources/min-shards.ts';
import type { Finding } from '../world/findings.ts';

/** A number of shards as it stands in the root. */
export interface AskedShards {
  /** `spec.shards` */
  readonly field: string;
  readonly value: number | undefined;
}

/**
 * Tells that fewer shards are asked for than the root may ever have: by a slip of the keyboard, by an autoscaler, by a
 * manifest without the number. They are not taken away.
 */
export function belowMinimum(
  root: KubeObject,
  { field, value }: AskedShards,
): { readonly findings: readonly Finding[]; readonly facts: readonly Fact[] } {
  const least = minShardsOf(root);
  if (least === undefined || (least !== 'invalid' && (value ?? 1) >= least)) return { findings: [], facts: [] };
  const place = `metadata.annotations[${minShardsAnnotation}]`;
  if (least === 'invalid') {
    const text = root.metadata.annotations?.[minShardsAnnotation];
    const message = `"${text}" is no whole number from 1 to 1000`;
    return {
      findings: [{ severity: 'error', regarding: root, reason: 'InvalidField', field: place, message }],
      facts: [],
    };
  }
  const message = `${value ?? 1} is less than the ${least} of the annotation ${minShardsAnnotation} and is not followed: ${least} ${least === 1 ? 'shard runs' : 'shards run'}. Ask for ${least} or more, or lower the annotation`;
  return {
    findings: [{ severity: 'warning', regarding: root, reason: 'BelowMinShards', field, message }],
    facts: [{ type: 'ShardsHeld', status: 'True', reason: 'BelowMinShards', message: `${field}: ${message}` }],
  };
}
