import type { Node } from '../api/generated/core-v1.ts';
import { asItIs, type Cycle, objection, type Step, withoutPods } from './cycle.ts';
import { PluginError } from './guarded.ts';
import { createNodeAccount, type NodeView } from './node-view.ts';
import type { SchedulerPlugin } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import type { Snapshot } from './snapshot.ts';

/** Where something happened, and by which rules a pod that waits was kept from nodes. */
export interface Place {
  readonly node: NodeView;
  readonly filters: readonly Step[];
  readonly snapshot: Snapshot;
}

/** Whether a pod that only its own demands had kept from nodes could go to this one now. */
export function accepts(pod: PodView, { node, filters, snapshot }: Place): boolean {
  return orThrown(() => objection(cycleOf(pod, { filters, snapshot }), node) === undefined);
}

/** Whether it could go there once those were gone that matter less: preemption may do that now. */
export function acceptsOnceCleared(pod: PodView, { node, filters, snapshot }: Place): boolean {
  if (pod.pod.spec.preemptionPolicy === 'Never') return false;
  const lesser = [...node.pods.values()].filter(({ priority }) => priority < pod.priority);
  if (lesser.length === 0) return false;
  return orThrown(() => {
    const cleared = withoutPods(asItIs(cycleOf(pod, { filters, snapshot }), node), lesser);
    return objection(cleared, cleared.node) === undefined;
  });
}

/** Whether one of the rules that kept it away takes the node from now on, whatever runs there: what is said of the pod is out of date. */
export function opensUp(pod: PodView, { node, filters, previous, by }: Omit<Place, 'snapshot'> & Change): boolean {
  const [before, after] = [previous, node.node].map((each) => createNodeAccount(each, { changed: () => undefined }));
  const takes = (view: NodeView | undefined, { plugin, state }: Step): boolean =>
    view === undefined || plugin.filter?.(pod, view, state).fits !== false;
  return orThrown(() => filters.some((step) => by.includes(step.plugin) && !takes(before, step) && takes(after, step)));
}

interface Change {
  readonly previous: Node;
  /** Who rejected the pod, and may think otherwise of such a change. */
  readonly by: readonly SchedulerPlugin[];
}

function cycleOf(pod: PodView, { filters, snapshot }: Pick<Place, 'filters' | 'snapshot'>): Cycle {
  return { pod, snapshot, steps: filters, filters };
}

/** The pod hears of a rule that fails when it is its turn. */
function orThrown(decide: () => boolean): boolean {
  try {
    return decide();
  } catch (error) {
    if (error instanceof PluginError) return true;
    throw error;
  }
}
