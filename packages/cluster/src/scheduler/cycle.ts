import { assert } from '../base/assert.ts';
import type { NodeView } from './node-view.ts';
import type { PluginState, Rejection, SchedulerPlugin } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * One pod's turn: the cluster and what the plugins have worked out about it. A value: {@link withPod} and
 * {@link withoutPods} give the turn as it would be, step by step, and the one before stays. Holds for one turn of the event
 * loop, because the live snapshot moves on under it.
 */
export interface Cycle {
  readonly pod: PodView;
  readonly snapshot: Snapshot;
  readonly steps: readonly Step[];
  /** The steps that have something to say of nodes, as things are. */
  readonly filters: readonly Step[];
}

/** One plugin's part. */
export interface Step {
  readonly plugin: SchedulerPlugin;
  readonly state: PluginState | undefined;
  /** It accepts every node, whatever happens. */
  readonly abstains: boolean;
}

export type Begun =
  | {
      readonly rejected: undefined;
      readonly cycle: Cycle;
      /** The only nodes to look at, and the last plugin that said so. */
      readonly narrowed: { readonly names: ReadonlySet<string>; readonly by: SchedulerPlugin } | undefined;
    }
  | { readonly rejected: string; readonly by: SchedulerPlugin };

/** Lets every plugin prepare; the first to reject the pod for all nodes ends it. */
export function beginCycle(pod: PodView, snapshot: Snapshot, plugins: readonly SchedulerPlugin[]): Begun {
  const steps: Step[] = [];
  let narrowed: Extract<Begun, { readonly rejected: undefined }>['narrowed'];
  for (const plugin of plugins) {
    const preparation = plugin.prepare?.(pod, snapshot);
    if (preparation === undefined) {
      steps.push({ plugin, state: undefined, abstains: false });
      continue;
    }
    if ('rejected' in preparation) return { rejected: preparation.rejected, by: plugin };
    const { state, onlyNodes, abstains = false } = preparation;
    steps.push({ plugin, state, abstains });
    if (onlyNodes === undefined) continue;
    const names =
      narrowed === undefined ? onlyNodes : new Set([...narrowed.names].filter((name) => onlyNodes.has(name)));
    narrowed = { names, by: plugin };
  }
  return { rejected: undefined, cycle: { pod, snapshot, steps, filters: steps.filter(asksNodes) }, narrowed };
}

function asksNodes({ plugin, state, abstains }: Step): boolean {
  return plugin.filter !== undefined && !abstains && state?.isMoot !== true;
}

export interface Objection {
  readonly plugin: SchedulerPlugin;
  readonly verdict: Rejection;
}

/** The first plugin that rejects the node ends the matter; undefined: it fits. Room promised to nominated pods is not free. */
export function objection(cycle: Cycle, node: NodeView): Objection | undefined {
  const promised = promisedOn(node, cycle);
  if (promised.length === 0) return firstObjection(cycle, node);
  const whatIf = promised.reduce((before, other) => withPod(before, other, node.name), cycle);
  // They may not come after all: nobody goes there for their sake.
  return firstObjection(whatIf, whatIf.snapshot.node(node.name) ?? node) ?? firstObjection(cycle, node);
}

/** Nominated pods that matter as much. One that is on its way to be bound counts already. */
function promisedOn(node: NodeView, { pod, snapshot }: Cycle): readonly PodView[] {
  const nominated = snapshot.nominatedTo(node.name);
  if (nominated.length === 0) return nominated;
  return nominated.filter(({ uid, priority }) => uid !== pod.uid && priority >= pod.priority && !node.holds(uid));
}

function firstObjection({ pod, filters }: Cycle, node: NodeView): Objection | undefined {
  for (const { plugin, state } of filters) {
    const verdict = plugin.filter?.(pod, node, state);
    if (verdict?.fits === false) return { plugin, verdict };
  }
  return undefined;
}

/** The turn as it would be with one pod more on a node. */
export function withPod(cycle: Cycle, pod: PodView, node: string): Cycle {
  const view = viewOf(node, cycle).with(pod);
  return stepped(
    cycle,
    view,
    steppedAll(cycle.steps, (state) => state.with(pod, view)),
  );
}

/** The turn as it would be without some of the node's pods. */
export function withoutPods(cycle: Cycle, pods: readonly PodView[], node: string): Cycle {
  let view = viewOf(node, cycle);
  let { steps } = cycle;
  for (const pod of pods) {
    const next = view.without(pod);
    steps = steppedAll(steps, (state) => state.without(pod, next));
    view = next;
  }
  return stepped(cycle, view, steps);
}

function viewOf(name: string, { snapshot }: Cycle): NodeView {
  const view = snapshot.node(name);
  assert(view !== undefined, 'a what-if is about a node that is there', { node: name });
  return view;
}

function stepped({ pod, snapshot, steps, filters }: Cycle, view: NodeView, next: readonly Step[]): Cycle {
  const fork = snapshot.fork().changed(view);
  return next === steps
    ? { pod, snapshot: fork, steps, filters }
    : { pod, snapshot: fork, steps: next, filters: next.filter(asksNodes) };
}

/** The same list where no plugin cares: most say nothing of most pods. */
function steppedAll(steps: readonly Step[], take: (state: PluginState) => PluginState): readonly Step[] {
  let next: Step[] | undefined;
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as Step;
    if (step.state === undefined) continue;
    const state = take(step.state);
    if (state === step.state) continue;
    next ??= [...steps];
    next[index] = { ...step, state };
  }
  return next ?? steps;
}
