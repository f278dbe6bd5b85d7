import { namespaces } from '../../api/generated/kinds.ts';
import { labelMend } from '../../api/node-labels.ts';
import type { Labels } from '../../api/selector/selector.ts';
import type { Carried } from '../counting/carried-terms.ts';
import type { Counted } from '../counting/live-count.ts';
import { type AffinityTerm, matchesTerm, type NamespaceLabels } from '../counting/pod-terms.ts';
import { type Tally, tallyOf } from '../counting/tally.ts';
import type { Detail } from '../detail.ts';
import type { NodeView } from '../node-view.ts';
import { type Change, fits, type PluginState, rejects, rejectsForGood, type SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';
import type { Snapshot } from '../snapshot.ts';

export interface InterPodAffinityArgs {
  /** How much it counts where a placed pod needs this one nearby, although this one does not say so. */
  readonly hardPodAffinityWeight: number;
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

/** Near certain pods, or away from them: what the pod demands, and what those that are placed demand of it. */
export function interPodAffinity(args: InterPodAffinityArgs): SchedulerPlugin<Surroundings> {
  return {
    name: 'InterPodAffinity',
    weight: 2,
    consults: [namespaces],
    wakesOn: ['node/added', 'node/updated', 'pod/added', 'pod/relabelled', 'pod/removed'],
    wakesFrom: 'anywhere',
    helps,
    prepare: (pod, snapshot) => ({ state: surroundingsOf(pod, snapshot) }),
    filter(pod, node, state) {
      if (!hasCompany(pod, node, state)) return lonely;
      if (isNearUnwanted(node, state)) return tooNear;
      return isUnwanted(node, state) ? kept : fits;
    },
    details: (pod, node, state) => detailsOf(pod, node, state),
    isIndifferent: (pod, { snapshot }) => worthOf(pod, snapshot, args).length === 0,
    rank: (pod, nodes, { snapshot }) => ranked(worthOf(pod, snapshot, args), nodes),
  };
}

const lonely = rejectsForGood("node(s) didn't match pod affinity rules");
const tooNear = rejects("node(s) didn't match pod anti-affinity rules");
const kept = rejects("node(s) didn't satisfy existing pods anti-affinity rules");

/** Whether the pod that came, changed or went is one that this pod's terms, or whose terms, are about. */
function helps(pod: PodView, { snapshot, pod: other, before }: Change): boolean {
  const namespaceLabels = labelsIn(snapshot);
  const concerns = (each: PodView): boolean =>
    [...(pod.terms?.near ?? none), ...(pod.terms?.apart ?? none)].some((term) =>
      matchesTerm(term, each, namespaceLabels),
    ) || (each.terms?.apart ?? none).some((term) => matchesTerm(term, pod, namespaceLabels));
  return other === undefined || concerns(other) || (before !== undefined && concerns(before));
}

interface Surroundings extends PluginState {
  readonly snapshot: Snapshot;
  /** One for each term of required affinity, all counting the pods that meet every term. */
  readonly near: readonly Tally[];
  /** One for each term of required anti-affinity. */
  readonly apart: readonly Tally[];
  /** What placed pods say of this one. */
  readonly forbidden: readonly Carried[];
  /** How many more or fewer forbid it there than do now, by term and domain. */
  readonly changes: readonly Step[];
}

interface Step {
  readonly term: AffinityTerm;
  readonly value: string;
  readonly by: 1 | -1;
}

function surroundingsOf(pod: PodView, snapshot: Snapshot): Surroundings {
  const forbidden = snapshot.counts.about(pod, { kind: 'forbids', namespaceLabels: labelsIn(snapshot) });
  const tally = (counted: Counted): Tally => tallyOf(counted, snapshot.counts.count(counted));
  return surroundings(pod, {
    snapshot,
    near: pod.terms === undefined ? none : nearCounts(pod.terms.near, snapshot).map(tally),
    apart: pod.terms === undefined ? none : pod.terms.apart.map((term) => tally(countOf(term, snapshot))),
    forbidden,
    changes: [],
  });
}

const none: readonly never[] = [];

function surroundings(pod: PodView, facts: Omit<Surroundings, 'with' | 'without' | 'isMoot'>): Surroundings {
  const { near, apart, forbidden, changes } = facts;
  const after = (other: PodView, { node, by }: { readonly node: NodeView; readonly by: 1 | -1 }): Surroundings => {
    if (other.terms === undefined && near.length === 0 && apart.length === 0) return self;
    const step = (tally: Tally): Tally => (by === 1 ? tally.with(other, node) : tally.without(other, node));
    const next = { ...facts, near: near.map(step), apart: apart.map(step) };
    const more = changesBy(other, { node, by, pod, snapshot: facts.snapshot });
    return surroundings(pod, more.length === 0 ? next : { ...next, changes: [...changes, ...more] });
  };
  const self: Surroundings = {
    isMoot: near.length === 0 && apart.length === 0 && forbidden.length === 0 && changes.length === 0,
    with: (other, node) => after(other, { node, by: 1 }),
    without: (other, node) => after(other, { node, by: -1 }),
    ...facts,
  };
  return self;
}

function changesBy(
  { terms }: PodView,
  {
    node,
    by,
    pod,
    snapshot,
  }: { readonly node: NodeView; readonly by: 1 | -1; readonly pod: PodView; readonly snapshot: Snapshot },
): readonly Step[] {
  if (terms === undefined || terms.apart.length === 0) return none;
  return terms.apart.flatMap((term) => {
    const value = node.labels[term.topologyKey];
    return value !== undefined && matchesTerm(term, pod, labelsIn(snapshot)) ? [{ term, value, by }] : [];
  });
}

function labelsIn(snapshot: Snapshot): NamespaceLabels {
  return (namespace) => snapshot.of(namespaces).get(namespace)?.metadata.labels;
}

function countOf(term: AffinityTerm, snapshot: Snapshot): Counted {
  const namespaceLabels = labelsIn(snapshot);
  return {
    id: `term ${term.id}`,
    topologyKey: term.topologyKey,
    namespace: term.namespace,
    label: term.label,
    looksAtNamespaces: term.namespaceSelector !== undefined,
    countsPod: (other) => matchesTerm(term, other, namespaceLabels),
  };
}

/** A pod is company only if it meets every term, also where it is asked for by one of them. */
function nearCounts(terms: readonly AffinityTerm[], snapshot: Snapshot): readonly Counted[] {
  const [first] = terms;
  if (terms.length <= 1) return terms.map((term) => countOf(term, snapshot));
  const namespaceLabels = labelsIn(snapshot);
  const all = terms.map(({ id }) => id).join(' ');
  return terms.map(({ topologyKey }) => ({
    id: `terms ${topologyKey} ${all}`,
    topologyKey,
    namespace: first?.namespace,
    label: first?.label,
    looksAtNamespaces: terms.some(({ namespaceSelector }) => namespaceSelector !== undefined),
    countsPod: (other) => terms.every((term) => matchesTerm(term, other, namespaceLabels)),
  }));
}

/** The first of its kind may go anywhere where the keys are: nobody could ever begin otherwise. */
function hasCompany(pod: PodView, { labels }: NodeView, { near, snapshot }: Surroundings): boolean {
  let isThere = true;
  for (const tally of near) {
    const value = labels[tally.counted.topologyKey];
    if (value === undefined) return false;
    if (tally.podsIn(value) <= 0) isThere = false;
  }
  if (isThere) return true;
  if (near.some(({ podsTotal }) => podsTotal > 0)) return false;
  const namespaceLabels = labelsIn(snapshot);
  return pod.terms?.near.every((term) => matchesTerm(term, pod, namespaceLabels)) === true;
}

function isNearUnwanted({ labels }: NodeView, { apart }: Surroundings): boolean {
  for (const tally of apart) {
    const value = labels[tally.counted.topologyKey];
    if (value !== undefined && tally.podsIn(value) > 0) return true;
  }
  return false;
}

function isUnwanted({ labels }: NodeView, { forbidden, changes }: Surroundings): boolean {
  if (changes.length > 0) return isUnwantedAfter(labels, { forbidden, changes });
  for (const { term, domains } of forbidden) {
    const value = labels[term.topologyKey];
    if (value !== undefined && domains.has(value)) return true;
  }
  return false;
}

/** Whom it wants or must not meet, by what counts as near. Pods of the node itself are named. */
function detailsOf(pod: PodView, node: NodeView, state: Surroundings): readonly Detail[] {
  const labels = labelsIn(state.snapshot);
  const named = (isMeant: (other: PodView) => boolean): Pick<Detail, 'pods'> => {
    const pods = [...node.pods.values()].filter(isMeant).map(({ key }) => key);
    return pods.length === 0 ? {} : { pods };
  };
  if (!hasCompany(pod, node, state)) return whyLonely(node, state);
  const apart = pod.terms?.apart ?? none;
  const met = apart.filter((_, index) => {
    const tally = state.apart[index];
    const value = tally && node.labels[tally.counted.topologyKey];
    return value !== undefined && (tally?.podsIn(value) ?? 0) > 0;
  });
  if (met.length > 0)
    return met.map((term) => ({
      text: `a pod that its anti-affinity keeps it from is in the same ${term.topologyKey}`,
      mend: 'add nodes, or change the anti-affinity',
      ...named((other) => matchesTerm(term, other, labels)),
    }));
  const forbidsIt = (other: PodView): boolean =>
    (other.terms?.apart ?? none).some((term) => matchesTerm(term, pod, labels));
  const text = 'the anti-affinity of pods nearby keeps it away';
  return [{ text, mend: 'add nodes, or change the anti-affinity of those pods', ...named(forbidsIt) }];
}

/** A node without the label is near nothing: no pod that is started there helps. */
function whyLonely({ labels }: NodeView, { near }: Surroundings): readonly Detail[] {
  const keys = [...new Set(near.map(({ counted }) => counted.topologyKey))];
  const missing = keys.filter((key) => labels[key] === undefined);
  if (missing.length > 0)
    return missing.map((key) => ({
      text: `the node has no label ${key}, by which its affinity tells what is near`,
      mend: labelMend({ key }, 'name another topologyKey'),
    }));
  const text = `no pod that its affinity asks for is in the same ${keys.join(', ')}`;
  return [{ text, mend: 'start such a pod there first, or change the affinity' }];
}

function isUnwantedAfter(labels: Labels, { forbidden, changes }: Pick<Surroundings, 'forbidden' | 'changes'>): boolean {
  const sums = new Map<string, number>();
  const add = (term: AffinityTerm, by: number): void => {
    sums.set(term.id, (sums.get(term.id) ?? 0) + by);
  };
  for (const { term, domains } of forbidden) add(term, domains.get(labels[term.topologyKey] ?? '') ?? 0);
  for (const { term, value, by } of changes) if (labels[term.topologyKey] === value) add(term, by);
  return [...sums.values()].some((sum) => sum > 0);
}

/** What nodes are worth by one of their labels: so much for each that is counted there. */
interface Worth {
  readonly key: string;
  readonly domains: ReadonlyMap<string, number>;
  readonly weight: number;
}

function worthOf(pod: PodView, snapshot: Snapshot, args: InterPodAffinityArgs): readonly Worth[] {
  const preferred = pod.terms?.preferred ?? none;
  const own = preferred.map(({ term, weight }) => ({
    key: term.topologyKey,
    domains: snapshot.counts.count(countOf(term, snapshot)).domains,
    weight,
  }));
  if (own.length === 0 && args.ignorePreferredTermsOfExistingPods) return none;
  const namespaceLabels = labelsIn(snapshot);
  const liked = snapshot.counts.about(pod, { kind: 'prefers', namespaceLabels });
  const weight = args.hardPodAffinityWeight;
  const needed = weight > 0 ? snapshot.counts.about(pod, { kind: 'needs', namespaceLabels }) : none;
  return [
    ...own,
    ...liked.map(({ term, domains }) => ({ key: term.topologyKey, domains, weight: 1 })),
    ...needed.map(({ term, domains }) => ({ key: term.topologyKey, domains, weight })),
  ];
}

/** From the worst to the best: 0 to 100. */
function ranked(worths: readonly Worth[], nodes: readonly NodeView[]): readonly number[] | undefined {
  if (worths.length === 0) return undefined;
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  const raw = nodes.map(({ labels }) => {
    let sum = 0;
    for (const { key, domains, weight } of worths) {
      const value = labels[key];
      if (value !== undefined) sum += weight * (domains.get(value) ?? 0);
    }
    lowest = Math.min(lowest, sum);
    highest = Math.max(highest, sum);
    return sum;
  });
  const range = highest - lowest;
  return range === 0 ? undefined : raw.map((sum) => Math.trunc(100 * ((sum - lowest) / range)));
}
