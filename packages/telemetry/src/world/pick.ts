import type { KubeObject, LabelSelector, ResourceType } from '@signalbox/cluster';
import type { Finding } from './findings.ts';
import { SelectorError } from './labels.ts';
import type { Selection } from './select.ts';
import type { World } from './world.ts';

/** One pair of selectors of one object. */
export interface Picking<T extends KubeObject = KubeObject> {
  /** What is picked. */
  readonly type: ResourceType<T>;
  /** The object that selects. */
  readonly by: KubeObject;
  /** Its field, for findings. */
  readonly field: string;
  readonly labels: LabelSelector | undefined;
  /** The field of its namespaces. */
  readonly namespacesField: string;
  readonly namespaces: LabelSelector | undefined;
}

export function selectionOf({ by, labels, namespaces }: Picking): Selection {
  return { labels, namespaces, home: by.metadata.namespace ?? '' };
}

/** What a pair of selectors picks, sorted by namespace, then name. One that cannot be evaluated picks nothing, and is reported. */
export function picked<T extends KubeObject>(
  picking: Picking<T>,
  { world, findings }: { readonly world: World; readonly findings: Finding[] },
): readonly T[] {
  try {
    return world.select(picking.type, selectionOf(picking));
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const { by, field } = picking;
    findings.push({ severity: 'error', regarding: by, reason: 'InvalidSelector', field, message: error.message });
    return [];
  }
}
