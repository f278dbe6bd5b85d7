import type { KubeObject, LabelSelector, ResourceType } from '@signalbox/cluster';
import type { Finding } from './findings.ts';
import { SelectorError } from './labels.ts';
import type { World } from './world.ts';

/** One pair of selectors of one object. */
export interface Picking {
  /** The object that selects. */
  readonly by: KubeObject;
  /** Its field, for findings. */
  readonly field: string;
  readonly labels: LabelSelector | undefined;
  readonly namespaces: LabelSelector | undefined;
}

/** What a pair of selectors picks, sorted by namespace, then name. One that cannot be evaluated picks nothing, and is reported. */
export function picked<T extends KubeObject>(
  type: ResourceType<T>,
  { by, field, labels, namespaces }: Picking,
  { world, findings }: { readonly world: World; readonly findings: Finding[] },
): readonly T[] {
  try {
    return world.select(type, { labels, namespaces, home: by.metadata.namespace ?? '' });
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    findings.push({ severity: 'error', regarding: by, reason: 'InvalidSelector', field, message: error.message });
    return [];
  }
}
