import type { Random } from '../base/random.ts';
import type { NodeView } from './node-view.ts';
import type { ClusterEvent, SchedulerPlugin, Verdict } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import type { Snapshot } from './snapshot.ts';

export type Placement = Placed | Unplaced;

export interface Placed {
  readonly node: string;
  /** How many nodes were looked at: where the next cycle starts from. */
  readonly examined: number;
}

export interface Unplaced {
  readonly node: undefined;
  readonly examined: number;
  /** Set when a plugin rejected the pod whatever the node. */
  readonly rejectedForAll: string | undefined;
  /** Why not, per node that was looked at. */
  readonly verdicts: ReadonlyMap<string, Rejection>;
  /** Nodes that no plugin looked at, because one of them had narrowed the choice; and which. */
  readonly excluded: { readonly count: number; readonly by: string } | undefined;
  readonly wakesOn: ReadonlySet<ClusterEvent>;
}

export type Rejection = Extract<Verdict, { readonly fits: false }>;

export interface ScheduleOptions {
  readonly plugins: readonly SchedulerPlugin[];
  readonly random: Random;
  /** Index of the node to begin with, so that in a large cluster all nodes get their turn. */
  readonly startAt: number;
}

/** Finds the best node for a pod. Pure but for the draws of `random`, which break ties. */
export function schedule(pod: PodView, snapshot: Snapshot, { plugins, random, startAt }: ScheduleOptions): Placement {
  const prepared = prepare(pod, snapshot, plugins);
  if ('rejectedForAll' in prepared) return prepared;
  const search = findFeasible(pod, snapshot, { prepared, startAt });
  if (search.feasible.length === 0) {
    return {
      node: undefined,
      examined: search.examined,
      rejectedForAll: undefined,
      verdicts: search.verdicts,
      excluded: prepared.excluded,
      wakesOn: new Set(
        [...search.rejectedBy, ...(prepared.excluded === undefined ? [] : [prepared.narrowedBy])].flatMap(
          (plugin) => plugin?.wakesOn ?? [],
        ),
      ),
    };
  }
  const [only] = search.feasible;
  const best = search.feasible.length === 1 ? only : pickBest(pod, search.feasible, { steps: prepared.steps, random });
  return { node: best?.name ?? '', examined: search.examined };
}

interface Step {
  readonly plugin: SchedulerPlugin;
  readonly state: unknown;
}

interface Prepared {
  readonly steps: readonly Step[];
  /** Undefined: all of them. */
  readonly candidates: readonly NodeView[] | undefined;
  readonly excluded: Unplaced['excluded'];
  readonly narrowedBy: SchedulerPlugin | undefined;
}

function prepare(pod: PodView, snapshot: Snapshot, plugins: readonly SchedulerPlugin[]): Prepared | Unplaced {
  const steps: Step[] = [];
  let names: ReadonlySet<string> | undefined;
  let narrowedBy: SchedulerPlugin | undefined;
  for (const plugin of plugins) {
    const preparation = plugin.prepare?.(pod, snapshot);
    if (preparation === undefined) {
      steps.push({ plugin, state: undefined });
      continue;
    }
    if ('rejected' in preparation) {
      const { rejected } = preparation;
      return {
        node: undefined,
        examined: 0,
        rejectedForAll: rejected,
        verdicts: new Map(),
        excluded: undefined,
        wakesOn: new Set(plugin.wakesOn),
      };
    }
    steps.push({ plugin, state: preparation.state });
    if (preparation.onlyNodes === undefined) continue;
    const { onlyNodes } = preparation;
    names = names === undefined ? onlyNodes : new Set([...names].filter((name) => onlyNodes.has(name)));
    narrowedBy = plugin;
  }
  if (names === undefined) return { steps, candidates: undefined, excluded: undefined, narrowedBy };
  const candidates = [...names].map((name) => snapshot.node(name)).filter((node) => node !== undefined);
  const excluded = { count: snapshot.nodes.length - candidates.length, by: narrowedBy?.name ?? '' };
  return { steps, candidates, excluded, narrowedBy };
}

interface Search {
  readonly feasible: readonly NodeView[];
  readonly verdicts: ReadonlyMap<string, Rejection>;
  readonly rejectedBy: ReadonlySet<SchedulerPlugin>;
  readonly examined: number;
}

function findFeasible(
  pod: PodView,
  snapshot: Snapshot,
  { prepared, startAt }: { readonly prepared: Prepared; readonly startAt: number },
): Search {
  const nodes = prepared.candidates ?? snapshot.nodes;
  const wanted = prepared.candidates === undefined ? feasibleWanted(nodes.length) : nodes.length;
  const feasible: NodeView[] = [];
  const verdicts = new Map<string, Rejection>();
  const rejectedBy = new Set<SchedulerPlugin>();
  let examined = 0;
  for (; examined < nodes.length && feasible.length < wanted; examined++) {
    const node = nodes[(startAt + examined) % nodes.length];
    if (node === undefined) continue;
    const rejection = judge(pod, node, { steps: prepared.steps, nominated: snapshot.nominatedTo(node.name) });
    if (rejection === undefined) feasible.push(node);
    else {
      verdicts.set(node.name, rejection.verdict);
      rejectedBy.add(rejection.plugin);
    }
  }
  return { feasible, verdicts, rejectedBy, examined };
}

/** Upstream's compromise between the best node and a quick answer: all up to 100, then a falling share, at least 100. */
export function feasibleWanted(nodeCount: number): number {
  if (nodeCount <= 100) return nodeCount;
  const percent = Math.max(5, 50 - Math.floor(nodeCount / 125));
  return Math.max(100, Math.floor((nodeCount * percent) / 100));
}

interface Judging {
  readonly steps: readonly Step[];
  readonly nominated: readonly PodView[];
}

/** The first plugin that rejects the node ends the matter. Room promised to nominated pods is not free. */
function judge(
  pod: PodView,
  node: NodeView,
  { steps, nominated }: Judging,
): { readonly plugin: SchedulerPlugin; readonly verdict: Rejection } | undefined {
  const promised = nominated.filter(({ uid, priority }) => uid !== pod.uid && priority >= pod.priority);
  const view = promised.length === 0 ? node : withPods(node, promised);
  for (const { plugin, state } of steps) {
    const verdict = plugin.filter?.(pod, view, state);
    if (verdict?.fits === false) return { plugin, verdict };
  }
  return undefined;
}

function withPods(node: NodeView, pods: readonly PodView[]): NodeView {
  if (!('fork' in node)) return node;
  const copy = (node as NodeView & { fork(): NodeView & { add(pod: PodView): void } }).fork();
  for (const pod of pods) copy.add(pod);
  return copy;
}

/** Whether the pod would fit on the node as it stands in `view`: what preemption plays through. */
export function wouldFit(
  pod: PodView,
  view: NodeView,
  { snapshot, plugins }: { readonly snapshot: Snapshot; readonly plugins: readonly SchedulerPlugin[] },
): boolean {
  const prepared = prepare(pod, snapshot, plugins);
  if ('rejectedForAll' in prepared) return false;
  return judge(pod, view, { steps: prepared.steps, nominated: snapshot.nominatedTo(view.name) }) === undefined;
}

function pickBest(
  pod: PodView,
  nodes: readonly NodeView[],
  { steps, random }: { readonly steps: readonly Step[]; readonly random: Random },
): NodeView | undefined {
  const totals = nodes.map(() => 0);
  for (const { plugin, state } of steps) {
    const { score, normalize, weight = 1 } = plugin;
    if (score === undefined) continue;
    const raw = nodes.map((node) => score(pod, node, state));
    const scores = normalize === undefined ? raw : spread(raw, normalize);
    for (const [index, value] of scores.entries()) totals[index] = (totals[index] ?? 0) + weight * value;
  }
  const highest = Math.max(...totals);
  const best = nodes.filter((_, index) => totals[index] === highest);
  return best[random.below(best.length)];
}

/** Scales so that the highest raw score becomes 100. */
function spread(raw: readonly number[], how: 'spread' | 'reversed'): readonly number[] {
  const highest = Math.max(...raw);
  const scaled = raw.map((value) => (highest === 0 ? 0 : Math.floor((100 * value) / highest)));
  return how === 'spread' ? scaled : scaled.map((value) => 100 - value);
}
