/** What each rule of the plain scheduler gives the nodes that a pod fits on. */
import type { Node, Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../api/generated/core-v1.ts';
import {
  alikeOn,
  allocatable,
  hasAll,
  isAbout,
  isCountedIn,
  type Labels,
  labelsOf,
  matchesTerm,
  nearTerms,
  type PlainWorld,
  placed,
  requestsOf,
  selectorOf,
  selects,
  spreadOf,
  taken,
  tolerated,
} from './reference-facts.ts';

const zone = 'topology.kubernetes.io/zone';
const hostname = 'kubernetes.io/hostname';

function wishesOf(
  pod: Pod,
  { services }: PlainWorld,
): { readonly wishes: readonly TopologySpreadConstraint[]; readonly isOwn: boolean } {
  if ((pod.spec.topologySpreadConstraints ?? []).length > 0)
    return { wishes: spreadOf(pod, 'ScheduleAnyway'), isOwn: true };
  const selectors = pod.metadata.namespace === 'default' ? services : [];
  const matching = selectors.filter((selector) => selects({ matchLabels: selector }, labelsOf(pod)));
  if (matching.length === 0) return { wishes: [], isOwn: false };
  const labelSelector = { matchLabels: Object.assign({}, ...matching) as Labels };
  const wish = (topologyKey: string, maxSkew: number): TopologySpreadConstraint => ({
    topologyKey,
    maxSkew,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector,
  });
  return { wishes: [wish(hostname, 3), wish(zone, 5)], isOwn: false };
}

export function spreadScores(pod: Pod, nodes: readonly Node[], world: PlainWorld): readonly number[] {
  const { wishes, isOwn } = wishesOf(pod, world);
  if (wishes.length === 0) return nodes.map(() => 0);
  const counts = (node: Node): boolean => !isOwn || hasAll(node, wishes);
  const counted = nodes.filter(counts);
  const raw = nodes.map((node) => {
    if (!counts(node)) return undefined;
    let sum = 0;
    for (const wish of wishes) {
      const { topologyKey, maxSkew } = wish;
      const here = labelsOf(node)[topologyKey];
      if (here === undefined) continue;
      const selector = selectorOf(wish, pod);
      const domain = world.nodes.filter((each) =>
        topologyKey === hostname
          ? each === node
          : labelsOf(each)[topologyKey] === here && counts(each) && isCountedIn(each, { pod, constraint: wish }),
      );
      const alike = domain.reduce((total, each) => total + alikeOn(each, { pod, selector, world }), 0);
      const domains =
        topologyKey === hostname ? counted.length : new Set(counted.map((each) => labelsOf(each)[topologyKey])).size;
      sum += alike * Math.log(domains + 2) + maxSkew - 1;
    }
    return Math.round(sum);
  });
  const known = raw.filter((value) => value !== undefined);
  const [least, most] = [Math.min(...known), Math.max(0, ...known)];
  return raw.map((value) => {
    if (value === undefined) return 0;
    return most === 0 ? 100 : Math.floor((100 * (most + least - value)) / most);
  });
}

function preferredTerms({ spec }: Pod): readonly { readonly term: PodAffinityTerm; readonly weight: number }[] {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const near = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const apart = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...near.map(({ podAffinityTerm: term, weight }) => ({ term, weight })),
    ...apart.map(({ podAffinityTerm: term, weight }) => ({ term, weight: -weight })),
  ];
}

export function affinityScores(pod: Pod, nodes: readonly Node[], world: PlainWorld): readonly number[] {
  const raw = nodes.map((node) => {
    const here = labelsOf(node);
    let sum = 0;
    for (const { other, place } of placed(world)) {
      const isNear = ({ topologyKey }: PodAffinityTerm): boolean =>
        here[topologyKey] !== undefined && here[topologyKey] === place[topologyKey];
      for (const { term, weight } of preferredTerms(pod))
        if (isNear(term) && isAbout(term, { owner: pod, other, world })) sum += weight;
      for (const { term, weight } of preferredTerms(other))
        if (isNear(term) && isAbout(term, { owner: other, other: pod, world })) sum += weight;
      for (const term of nearTerms(other))
        if (isNear(term) && isAbout(term, { owner: other, other: pod, world })) sum += 1;
    }
    return sum;
  });
  const [least, most] = [Math.min(...raw), Math.max(...raw)];
  return raw.map((value) => (most === least ? 0 : Math.floor(100 * ((value - least) / (most - least)))));
}

// Other scores

/** Who says nothing of a resource counts as somebody small. */
const small = { cpu: '100m', memory: '200Mi' };

export function leastAllocated(pod: Pod, node: Node, world: PlainWorld): number {
  const [whole, used, wanted] = [allocatable(node), taken(node, world, small), requestsOf(pod, small)];
  const left = (name: string): number => {
    const of = whole[name] ?? 0;
    const all = (used[name] ?? 0) + (wanted[name] ?? 0);
    return all > of ? 0 : Math.floor(((of - all) * 100) / of);
  };
  return Math.floor((left('cpu') + left('memory')) / 2);
}

export function balanced(pod: Pod, node: Node, world: PlainWorld): number {
  const [whole, used, wanted] = [allocatable(node), taken(node, world), requestsOf(pod)];
  if ((wanted['cpu'] ?? 0) === 0 && (wanted['memory'] ?? 0) === 0) return 0;
  const share = (name: string): number => Math.min(1, ((used[name] ?? 0) + (wanted[name] ?? 0)) / (whole[name] ?? 0));
  return Math.floor((1 - Math.abs((share('cpu') - share('memory')) / 2)) * 100);
}

const mebibyte = 2 ** 20;

/** Of what the node has of the pod's images, as far as others have it too: from 23 MiB on, up to 1000 MiB for each container. */
export function imageScores({ spec }: Pod, nodes: readonly Node[], world: PlainWorld): readonly number[] {
  const wanted = [...(spec.initContainers ?? []), ...spec.containers].map(({ image = '' }) =>
    /:[^/]*$/.test(image) ? image : `${image}:latest`,
  );
  const sizeOn = ({ status: { images = [] } }: Node, image: string): number | undefined =>
    images.find(({ names = [] }) => names.includes(image))?.sizeBytes;
  const most = 1000 * mebibyte * wanted.length;
  return nodes.map((node) => {
    const bytes = wanted.reduce((sum, image) => {
      const having = world.nodes.filter((each) => sizeOn(each, image) !== undefined).length;
      return sum + Math.floor((sizeOn(node, image) ?? 0) * (having / world.nodes.length));
    }, 0);
    const counted = Math.max(23 * mebibyte, Math.min(most, bytes));
    return Math.floor((100 * (counted - 23 * mebibyte)) / (most - 23 * mebibyte));
  });
}

/** Where nobody has any, all are alike: upstream gives all of them the most, which changes nothing. */
export function softTaints(pod: Pod, nodes: readonly Node[]): readonly number[] {
  const counts = nodes.map(
    ({ spec: { taints = [] } }) =>
      taints.filter((taint) => taint.effect === 'PreferNoSchedule' && !tolerated(pod, taint)).length,
  );
  const most = Math.max(0, ...counts);
  return counts.map((count) => (most === 0 ? 0 : 100 - Math.floor((100 * count) / most)));
}

export function preferredNodes(pod: Pod, nodes: readonly Node[]): readonly number[] {
  const terms = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const sums = nodes.map((node) =>
    terms.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0),
  );
  const most = Math.max(0, ...sums);
  return sums.map((sum) => (most === 0 ? 0 : Math.floor((100 * sum) / most)));
}
