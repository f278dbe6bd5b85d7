import type { KubeObject } from '@signalbox/cluster';
import type { Finding } from '../world/findings.ts';
import { slotsDefault } from './mapping.ts';

/** How a root's shards are to share their targets, by its annotations. */
export interface ShardingChoice {
  readonly by: 'hashmod' | 'slots';
  /** Of a first mapping; one that stands keeps its own. */
  readonly slots: number;
  /** Targets are handed over from shard to shard. With slots always. */
  readonly handsOver: boolean;
  /** Slots move when the shards' load has become uneven. */
  readonly balances: boolean;
}

export const shardingAnnotation = 'signalbox.dev/sharding';
export const slotsAnnotation = 'signalbox.dev/slots';
export const handoverAnnotation = 'signalbox.dev/handover';
export const balanceAnnotation = 'signalbox.dev/balance';

const [slotsMin, slotsMax] = [16, 4_096];

export function shardingChoice(root: KubeObject): {
  readonly choice: ShardingChoice;
  readonly findings: readonly Finding[];
} {
  const annotations = root.metadata.annotations ?? {};
  const findings: Finding[] = [];
  const refuse = (annotation: string, message: string): void => {
    const field = `metadata.annotations[${annotation}]`;
    findings.push({ severity: 'error', regarding: root, reason: 'InvalidField', field, message });
  };
  const by = annotations[shardingAnnotation] ?? 'hashmod';
  if (by !== 'hashmod' && by !== 'slots')
    refuse(shardingAnnotation, `"${by}" is no way to share: write slots or hashmod`);
  const slotsText = annotations[slotsAnnotation] ?? String(slotsDefault);
  const slots = /^\d{1,4}$/.test(slotsText) ? Number(slotsText) : 0;
  const isUsable = slots >= slotsMin && slots <= slotsMax;
  if (!isUsable) refuse(slotsAnnotation, `"${slotsText}" is no whole number from ${slotsMin} to ${slotsMax}`);
  const handover = annotations[handoverAnnotation] ?? 'false';
  if (handover !== 'true' && handover !== 'false')
    refuse(handoverAnnotation, `"${handover}" is neither true nor false`);
  const balance = annotations[balanceAnnotation] ?? 'true';
  if (balance !== 'true' && balance !== 'false') refuse(balanceAnnotation, `"${balance}" is neither true nor false`);
  return {
    choice: {
      by: by === 'slots' ? 'slots' : 'hashmod',
      slots: isUsable ? slots : slotsDefault,
      handsOver: by === 'slots' || handover === 'true',
      balances: by === 'slots' && balance === 'true',
    },
    findings,
  };
}
