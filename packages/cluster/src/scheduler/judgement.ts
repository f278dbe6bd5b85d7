import type { Node, Pod } from '../api/generated/core-v1.ts';
import { poddisruptionbudgets } from '../api/generated/kinds.ts';
import { seededRandom } from '../base/random.ts';
import type { Caches } from '../client/cache.ts';
import { budgetsOf, noBudgets } from './budgets.ts';
import { beginCycle, type Cycle, objection } from './cycle.ts';
import { defaultPlugins } from './default-plugins.ts';
import type { Detail } from './detail.ts';
import { fits, type SchedulerPlugin, type Verdict } from './plugin.ts';
import { podView } from './pod-view.ts';
import { type Preemption, preempt, preemptNowhere } from './preempt.ts';
import { defaultProfile, type Profile } from './profile.ts';
import { RejectedNodes } from './rejected-nodes.ts';
import { scoresOf } from './scoring.ts';
import { createSnapshot, type LiveSnapshot } from './snapshot.ts';

/** What there is, for who asks beside a running scheduler. */
export interface JudgedWorld {
  readonly nodes: Iterable<Node>;
  /** All pods, also the one that is asked about. */
  readonly pods: Iterable<Pod>;
  /** Of what plugins read besides: claims, volumes, namespaces, Services and workloads. */
  readonly caches?: Caches;
  readonly plugins?: readonly SchedulerPlugin[];
  /** Whose plugins are asked about a pod that names one of them; `plugins` are about all others. */
  readonly profiles?: readonly Profile[];
}

export interface PluginVerdict {
  readonly plugin: string;
  readonly verdict: Verdict;
  /** What stands behind a rejection; empty where the plugin has nothing to add to its reasons. */
  readonly details: readonly Detail[];
}

/** What the plugins that decide say of one pod. */
export interface Judgement {
  /** Who rejects it whatever the node, and why; then nobody is asked about nodes. */
  readonly rejected: { readonly plugin: string; readonly message: string } | undefined;
  /** What every plugin that filters says of the node, in their order; the scheduler stops at the first that rejects. */
  on(node: string): readonly PluginVerdict[];
  /** Pods that have been promised the room that is left on a node, by their keys. Empty where this one fits, or would not fit anyway. */
  promised(node: string): readonly string[];
  /** What preemption would do for it; only to be asked about a pod that fits nowhere. Undefined: its profile does without. */
  preemption(): Preemption | undefined;
  /** What every plugin gives the nodes, before its weight; of those that have an opinion. */
  scores(
    nodes: readonly string[],
  ): readonly { readonly plugin: string; readonly weight: number; readonly scores: readonly number[] }[];
}

/**
 * Asks the scheduler's own plugins about a pod, on every node that the caller likes: what `explain` shows. Their verdicts
 * count room that is promised to other pods as free.
 */
export function judgePod(pod: Pod, world: JudgedWorld): Judgement {
  return createJudge(world)(pod);
}

/** As {@link judgePod}, for many pods: those that wait share one snapshot. */
export function createJudge(world: JudgedWorld): (pod: Pod) => Judgement {
  let shared: LiveSnapshot | undefined;
  return (pod) => {
    if ((pod.spec.nodeName ?? '') !== '') return judged(pod, { snapshot: snapshotOf(world, pod.metadata.uid), world });
    shared ??= snapshotOf(world, undefined);
    return judged(pod, { snapshot: shared, world });
  };
}

function snapshotOf({ nodes, pods, caches }: JudgedWorld, except: string | undefined): LiveSnapshot {
  const snapshot = createSnapshot(caches);
  for (const node of nodes) snapshot.setNode(node);
  for (const pod of pods) {
    if (pod.metadata.uid === except) continue;
    const { nominatedNodeName = '' } = pod.status;
    if ((pod.spec.nodeName ?? '') !== '') snapshot.setPod(pod);
    else if (nominatedNodeName !== '') snapshot.nominate(podView(pod), nominatedNodeName);
  }
  return snapshot;
}

interface Judging {
  readonly snapshot: LiveSnapshot;
  readonly world: JudgedWorld;
}

function judged(pod: Pod, { snapshot, world }: Judging): Judgement {
  const view = podView(pod);
  const profile = profileOf(pod, world);
  const begun = beginCycle(view, snapshot, profile.plugins);
  if (begun.rejected !== undefined) {
    const rejected = { plugin: begun.by.name, message: begun.rejected };
    const preemption = (): Preemption | undefined => profile.preemption && preemptNowhere(view, snapshot.nodes.length);
    return { rejected, on: () => [], promised: () => [], preemption, scores: () => [] };
  }
  const { cycle, narrowed } = begun;
  const excludes = (plugin: SchedulerPlugin, node: string): boolean =>
    narrowed?.by === plugin && !narrowed.names.has(node);
  return {
    rejected: undefined,
    on: (node) => verdictsOn(node, { cycle, excludes }),
    promised: (node) => promisedOn(node, cycle),
    preemption: () =>
      preemptionFor(cycle, { names: narrowed?.names, caches: world.caches, limits: profile.preemption }),
    scores: (names) => {
      const views = names.flatMap((name) => snapshot.node(name) ?? []);
      return cycle.steps.flatMap(({ plugin, state }) => {
        const scores = scoresOf(plugin, { pod: cycle.pod, nodes: views, snapshot, state });
        return scores === undefined ? [] : [{ plugin: plugin.name, weight: plugin.weight ?? 1, scores }];
      });
    },
  };
}

function profileOf({ spec }: Pod, { profiles = [], plugins = defaultPlugins }: JudgedWorld): Profile {
  const name = spec.schedulerName ?? defaultProfile.name;
  return profiles.find((each) => each.name === name) ?? { ...defaultProfile, plugins };
}

interface Asking {
  readonly cycle: Cycle;
  excludes(plugin: SchedulerPlugin, node: string): boolean;
}

function verdictsOn(name: string, { cycle, excludes }: Asking): readonly PluginVerdict[] {
  const node = cycle.snapshot.node(name);
  if (node === undefined) return [];
  return cycle.steps.flatMap(({ plugin, state, abstains }) => {
    if (plugin.filter === undefined) return [];
    const isSilent = (abstains || state?.isMoot === true) && !excludes(plugin, name);
    const verdict = isSilent ? fits : plugin.filter(cycle.pod, node, state);
    const details = verdict.fits ? none : (plugin.details?.(cycle.pod, node, state) ?? none);
    return [{ plugin: plugin.name, verdict, details }];
  });
}

const none: readonly Detail[] = Object.freeze([]);

function promisedOn(name: string, cycle: Cycle): readonly string[] {
  const node = cycle.snapshot.node(name);
  const others = cycle.snapshot.nominatedTo(name).filter(({ uid }) => uid !== cycle.pod.uid);
  if (node === undefined || others.length === 0 || objection(cycle, node) === undefined) return [];
  return others.map(({ key }) => key);
}

/** The draw of where preemption begins is the same each time: who asks twice is answered alike. */
function preemptionFor(
  cycle: Cycle,
  {
    names,
    caches,
    limits,
  }: {
    readonly names: ReadonlySet<string> | undefined;
    readonly caches: Caches | undefined;
    readonly limits: Profile['preemption'];
  },
): Preemption | undefined {
  if (limits === undefined) return undefined;
  const rejected = new RejectedNodes();
  for (const node of cycle.snapshot.nodes) {
    const found = names !== undefined && !names.has(node.name) ? undefined : objection(cycle, node);
    if (found !== undefined) rejected.add(node, found);
  }
  const budgets = caches === undefined ? noBudgets : budgetsOf(caches.of(poddisruptionbudgets), 0);
  return preempt(cycle, { rejected }, { random: seededRandom('explain'), budgets, limits });
}
