import type { Cycle } from './cycle.ts';
import type { NodeView } from './node-view.ts';
import type { PluginState, SchedulerPlugin } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import type { Snapshot } from './snapshot.ts';

/** What all plugins together say of the nodes that fit, each with its weight. */
export function totalScores(
  cycle: Cycle,
  nodes: readonly NodeView[],
  remembered: (node: NodeView, index: number) => number = (node) => ownScore(cycle, node),
): readonly number[] {
  const totals = nodes.map(remembered);
  for (const { plugin, state } of cycle.steps) {
    if (isOwn(plugin)) continue;
    const scores = scoresOf(plugin, { pod: cycle.pod, nodes, snapshot: cycle.snapshot, state });
    if (scores === undefined) continue;
    const { weight = 1 } = plugin;
    for (let index = 0; index < totals.length; index++)
      totals[index] = (totals[index] ?? 0) + weight * (scores[index] ?? 0);
  }
  return totals;
}

/** What it gives a node has nothing to do with the others. */
function isOwn({ looksAt, score, normalize }: SchedulerPlugin): boolean {
  return looksAt === 'demands' && score !== undefined && normalize === undefined;
}

/** What those rules give it that go by the pod's demands and the node alone. */
export function ownScore({ pod, steps }: Cycle, node: NodeView): number {
  let total = 0;
  for (const { plugin, state } of steps)
    if (isOwn(plugin)) total += (plugin.weight ?? 1) * (plugin.score?.(pod, node, state) ?? 0);
  return total;
}

/** Whether nothing but {@link ownScore} tells one node from another. */
export function isOwnAll({ pod, snapshot, steps }: Cycle): boolean {
  return steps.every(
    ({ plugin, state }) =>
      isOwn(plugin) ||
      (plugin.score === undefined && plugin.rank === undefined) ||
      plugin.isIndifferent?.(pod, { snapshot, state }) === true,
  );
}

interface Scored {
  readonly pod: PodView;
  readonly nodes: readonly NodeView[];
  readonly snapshot: Snapshot;
  readonly state: PluginState | undefined;
}

/** 0 to 100 for each node; undefined from who has no opinion. */
export function scoresOf(plugin: SchedulerPlugin, { pod, nodes, ...turn }: Scored): readonly number[] | undefined {
  if (plugin.rank !== undefined) return plugin.rank(pod, nodes, turn);
  const { score, normalize } = plugin;
  if (score === undefined) return undefined;
  const raw = nodes.map((node) => score(pod, node, turn.state));
  return normalize === undefined ? raw : spread(raw, normalize);
}

/** Scales so that the highest raw score becomes 100. */
function spread(raw: readonly number[], how: 'spread' | 'reversed'): readonly number[] {
  let highest = 0;
  for (const value of raw) highest = Math.max(highest, value);
  const scaled = raw.map((value) => (highest === 0 ? 0 : Math.floor((100 * value) / highest)));
  return how === 'spread' ? scaled : scaled.map((value) => 100 - value);
}
