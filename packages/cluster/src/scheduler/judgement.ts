import type { Node, Pod } from '../api/generated/core-v1.ts';
import { poddisruptionbudgets } from '../api/generated/kinds.ts';
import { seededRandom } from '../base/random.ts';
import type { Caches } from '../client/cache.ts';
import { budgetsOf, noBudgets } from './budgets.ts';
import { beginCycle, type Cycle, objection, type Step } from './cycle.ts';
import { defaultPlugins } from './default-plugins.ts';
import type { Detail } from './detail.ts';
import { orFault, PluginError } from './guarded.ts';
import type { NodeView } from './node-view.ts';
import { fits, type Rejection, rejectsForGood, type SchedulerPlugin, type Verdict } from './plugin.ts';
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
  /** A plugin of somebody's own has failed, with this: then the scheduler decides nothing about the pod, whatever others say. */
  readonly fault?: string;
}

/** Where a plugin of somebody's own fails, the scheduler decides nothing either. */
export interface Fault {
  readonly outcome: 'fault';
  readonly plugin: string;
  readonly message: string;
}

/** What the plugins that decide say of one pod. */
export interface Judgement {
  /** Who rejects it whatever the node, and why; then nobody is asked about nodes. */
  readonly rejected: { readonly plugin: string; readonly message: string } | undefined;
  /** What every plugin that filters says of the node, in their order; the scheduler stops at the first that rejects. */
  on(node: string): readonly PluginVerdict[];
  /** Pods that have been promised the room that is left on a node, by their keys. Empty where this one fits, or would not fit anyway. */
  promised(node: string): readonly string[];
  /**
   * What preemption would do for it, or could do on one node; only to be asked about a pod that fits nowhere, or not there.
   * Undefined: its profile does without.
   */
  preemption(node?: string): Preemption | Fault | undefined;
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

/** As {@link judgePod}, for many pods: those that have no node yet share one snapshot. Where one has its node counts for others alone. */
export function createJudge(world: JudgedWorld): (pod: Pod) => Judgement {
  let shared: LiveSnapshot | undefined;
  let placed: ReadonlySet<string> | undefined;
  return (pod) => {
    const { uid } = pod.metadata;
    placed ??= new Set(
      [...world.pods].filter(({ spec }) => (spec.nodeName ?? '') !== '').map((each) => each.metadata.uid),
    );
    if (placed.has(uid)) return judged(pod, { snapshot: snapshotOf(world, uid), world });
    shared ??= snapshotOf(world);
    return judged(pod, { snapshot: shared, world });
  };
}

/** The world as a scheduler that has just begun would see it. `except`: without the pod of that uid. */
export function snapshotOf(
  { nodes, pods, caches }: Pick<JudgedWorld, 'nodes' | 'pods' | 'caches'>,
  except?: string,
): LiveSnapshot {
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
  const begun = orFault(() => beginCycle(view, snapshot, profile.plugins));
  if (begun instanceof PluginError) return undecided(begun);
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
    preemption: (only) =>
      preemptionFor(cycle, { names: narrowed?.names, only, caches: world.caches, limits: profile.preemption }),
    scores: (names) => {
      const views = names.flatMap((name) => snapshot.node(name) ?? []);
      return cycle.steps.flatMap(({ plugin, state }) => {
        const scores = scoresOf(plugin, { pod: cycle.pod, nodes: views, snapshot, state });
        return scores === undefined ? [] : [{ plugin: plugin.name, weight: plugin.weight ?? 1, scores }];
      });
    },
  };
}

/** A plugin failed before any node was looked at: that is what is to be said of each. */
function undecided(error: PluginError): Judgement {
  const { plugin, reason } = error;
  const verdicts = [{ plugin, verdict: rejectsForGood(reason), details: none, fault: reason }];
  return {
    rejected: undefined,
    on: () => verdicts,
    promised: () => [],
    preemption: () => faultOf(error),
    scores: () => [],
  };
}

function faultOf({ plugin, message }: PluginError): Fault {
  return { outcome: 'fault', plugin, message };
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
  return cycle.steps.flatMap((step): readonly PluginVerdict[] => {
    const { plugin, state, abstains } = step;
    if (plugin.filter === undefined) return [];
    const isSilent = (abstains || state?.isMoot === true) && !excludes(plugin, name);
    const verdict = isSilent ? fits : orFault(() => plugin.filter?.(cycle.pod, node, state) ?? fits);
    if (verdict instanceof PluginError) {
      const { reason } = verdict;
      return [{ plugin: plugin.name, verdict: rejectsForGood(reason), details: none, fault: reason }];
    }
    const details = verdict.fits ? none : detailsOn(node, { cycle, step, verdict });
    return [{ plugin: plugin.name, verdict, details }];
  });
}

/** That nothing stands behind a rejection because the plugin fails when it is asked keeps nobody from being told the rejection. */
function detailsOn(
  node: NodeView,
  { cycle, step, verdict }: { readonly cycle: Cycle; readonly step: Step; readonly verdict: Rejection },
): readonly Detail[] {
  const { plugin, state } = step;
  const details = orFault(() => plugin.details?.(cycle.pod, node, state) ?? none);
  if (!(details instanceof PluginError)) return details;
  const mend = `mend the details of the plugin ${plugin.name}`;
  return [...verdict.reasons.map(({ text }) => ({ text })), { text: `its details fail: ${details.reason}`, mend }];
}

const none: readonly Detail[] = Object.freeze([]);

/** A fault without those who are promised room has been told already; one with them alone the pod itself tells. */
function promisedOn(name: string, cycle: Cycle): readonly string[] {
  const node = cycle.snapshot.node(name);
  const others = cycle.snapshot.nominatedTo(name).filter(({ uid }) => uid !== cycle.pod.uid);
  if (node === undefined || others.length === 0) return [];
  const against = orFault(() => objection(cycle, node));
  return against === undefined || against instanceof PluginError ? [] : others.map(({ key }) => key);
}

interface PreemptionAsked {
  readonly names: ReadonlySet<string> | undefined;
  /** Of this node alone. */
  readonly only: string | undefined;
  readonly caches: Caches | undefined;
  readonly limits: Profile['preemption'];
}

/** The draw of where preemption begins is the same each time: who asks twice is answered alike. */
function preemptionFor(cycle: Cycle, asked: PreemptionAsked): Preemption | Fault | undefined {
  const { names, only, caches, limits } = asked;
  if (limits === undefined) return undefined;
  const preemption = orFault(() => {
    const rejected = new RejectedNodes();
    for (const node of cycle.snapshot.nodes) {
      if ((only ?? node.name) !== node.name || names?.has(node.name) === false) continue;
      const found = objection(cycle, node);
      if (found !== undefined) rejected.add(node, found);
    }
    const budgets = caches === undefined ? noBudgets : budgetsOf(caches.of(poddisruptionbudgets), 0);
    return preempt(cycle, { rejected }, { random: seededRandom('explain'), budgets, limits });
  });
  return preemption instanceof PluginError ? faultOf(preemption) : preemption;
}
