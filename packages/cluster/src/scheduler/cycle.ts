import type { NodeView } from './node-view.ts';
import type { PluginState, Rejection, SchedulerPlugin } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * One pod's turn: the cluster and what the plugins have worked out about it. A value. Holds for one turn of the event
 * loop, because the live snapshot moves on under it.
 */
export interface Cycle {
  readonly pod: PodView;
  readonly snapshot: Snapshot;
  readonly steps: readonly Step[];
  /** The steps that have something to say of nodes, as things are. */
  readonly filters: readonly Step[];
}

/**
 * The turn as it would be with other pods on one node; the snapshot beside it is the cluster as it is. {@link withPod} and
 * {@link withoutPods} give another one, step by step, and the one before stays.
 */
export interface WhatIf extends Cycle {
  readonly node: NodeView;
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
export function objection(
  cycle: Cycle,
  node: NodeView,
  promised: readonly PodView[] = promisedOn(node, cycle),
): Objection | undefined {
  if (promised.length === 0) return firstObjection(cycle, node);
  let whatIf = asItIs(cycle, node);
  for (const other of promised) whatIf = withPod(whatIf, other);
  // They may not come after all: nobody goes there for their sake.
  return firstObjection(whatIf, whatIf.node) ?? firstObjection(cycle, node);
}

/** Nominated pods that matter as much; who matters less may come and go meanwhile. One that is on its way to be bound counts already. */
export function promisedOn(node: NodeView, { pod, snapshot }: Cycle): readonly PodView[] {
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

/** Where what-ifs of a node start from. */
export function asItIs({ pod, snapshot, steps, filters }: Cycle, node: NodeView): WhatIf {
  return { pod, snapshot, steps, filters, node };
}

/** With one pod more on the node. */
export function withPod(before: WhatIf, pod: PodView): WhatIf {
  const node = before.node.with(pod);
  return stepped(
    before,
    node,
    steppedAll(before.steps, (state) => state.with(pod, node)),
  );
}

/** Without some of the node's pods. */
export function withoutPods(before: WhatIf, pods: readonly PodView[]): WhatIf {
  const node = before.node.without(...pods);
  let { steps } = before;
  for (const pod of pods) steps = steppedAll(steps, (state) => state.without(pod, node));
  return stepped(before, node, steps);
}

function stepped({ pod, snapshot, steps, filters }: WhatIf, node: NodeView, next: readonly Step[]): WhatIf {
  return { pod, snapshot, steps: next, filters: next === steps ? filters : next.filter(asksNodes), node };
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
