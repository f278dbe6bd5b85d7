import { defaulted } from '@signalbox/cluster';
import type { ObjectRef } from '../explain/explanation.ts';
import { refOf } from '../explain/selectors.ts';
import { isWorkload, type Workload } from '../world/workload.ts';
import { compare } from '../world/world.ts';
import { differences } from './differences.ts';
import type { Recreated } from './imagined-server.ts';
import type { Pair } from './object-changes.ts';

/** What becomes of the pods of one workload. */
export interface WorkloadChange {
  readonly workload: ObjectRef;
  /** `restarts`: all its pods, one after the other. `ends and starts`: all at once. `keeps`: it is made anew around them. */
  readonly effect: 'ends and starts' | 'keeps' | 'restarts' | 'restarts on deletion' | 'scales' | 'starts' | 'stops';
  /** How many pods it asks for; undefined: one on each node. */
  readonly podsBefore: number | undefined;
  readonly podsAfter: number | undefined;
  /** The fields of the pod template that differ, and so cause a restart. */
  readonly because: readonly string[];
}

/** Sorted by place. What changes in a workload without touching its pods is no change here. */
export function workloadChanges(
  compared: ReadonlyMap<string, Pair>,
  recreated: ReadonlyMap<string, Recreated>,
): readonly WorkloadChange[] {
  return [...compared]
    .sort(([a], [b]) => compare(a, b))
    .flatMap(([place, { before, after }]) => {
      const [left, right] = [workloadIn(before), workloadIn(after)];
      return changeOf(left, right, recreated.get(place)) ?? [];
    });
}

function workloadIn(object: Pair['after']): Workload | undefined {
  return object !== undefined && isWorkload(object) ? defaulted(object) : undefined;
}

function changeOf(
  before: Workload | undefined,
  after: Workload | undefined,
  how: Recreated | undefined,
): WorkloadChange | undefined {
  const either = after ?? before;
  if (either === undefined || before === after) return undefined;
  const [podsBefore, podsAfter] = [before && podsOf(before), after && podsOf(after)];
  const change = (effect: WorkloadChange['effect'], because: readonly string[] = []): WorkloadChange => ({
    workload: refOf(either),
    effect,
    podsBefore: before === undefined ? 0 : podsBefore,
    podsAfter: after === undefined ? 0 : podsAfter,
    because,
  });
  if (before === undefined) return change('starts');
  if (after === undefined) return change('stops');
  const because = templateChanges(before, after);
  if (how !== undefined && how !== 'Orphan') return change('ends and starts', because);
  if (because.length > 0) return change(isOnDelete(after) ? 'restarts on deletion' : 'restarts', because);
  if (how !== undefined) return change('keeps');
  return podsBefore === podsAfter ? undefined : change('scales');
}

function podsOf({ kind, spec }: Workload): number | undefined {
  return kind === 'DaemonSet' ? undefined : ((spec as { readonly replicas?: number }).replicas ?? 1);
}

function templateChanges(before: Workload, after: Workload): readonly string[] {
  return differences(before.spec.template, after.spec.template).map(({ path }) => `spec.template.${path}`);
}

/** Its pods are replaced when somebody deletes them, and not before. */
function isOnDelete({ spec }: Workload): boolean {
  const { updateStrategy } = spec as { readonly updateStrategy?: { readonly type?: string } };
  return updateStrategy?.type === 'OnDelete';
}
