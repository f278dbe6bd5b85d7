/**
 * The scheduler once more, plain and slow: every rule walks all nodes and pods each time it is asked, nothing is counted ahead,
 * sampled or remembered. What the real one says is compared with it.
 */
import type { Node, Pod, PodAffinityTerm } from '../../api/generated/core-v1.ts';
import {
  alikeOn,
  allocatable,
  apartTerms,
  collide,
  hasAll,
  isAbout,
  isCountedIn,
  type Labels,
  labelsOf,
  nearTerms,
  type PlainWorld,
  placed,
  podsOn,
  requestsOf,
  selectorOf,
  selects,
  selectsNode,
  spreadOf,
  taken,
  tolerated,
} from './reference-facts.ts';
import {
  affinityScores,
  balanced,
  imageScores,
  leastAllocated,
  preferredNodes,
  softTaints,
  spreadScores,
} from './reference-scores.ts';

export interface PlainAnswer {
  /** Node → the reasons of the first rule against it; none when it fits. */
  readonly reasons: Readonly<Record<string, readonly string[]>>;
  /** Node that fits → the sum of what all rules give it. */
  readonly totals: Readonly<Record<string, number>>;
}

export function plainAnswer(pod: Pod, world: PlainWorld): PlainAnswer {
  const reasons = Object.fromEntries(world.nodes.map((node) => [node.metadata.name, firstReasons(pod, node, world)]));
  const fitting = world.nodes.filter(({ metadata }) => reasons[metadata.name]?.length === 0);
  const points = Object.values(plainPoints(pod, fitting, world));
  const totals = Object.fromEntries(
    fitting.map(({ metadata }, index) => [metadata.name, points.reduce((sum, part) => sum + (part[index] ?? 0), 0)]),
  );
  return { reasons, totals };
}

/** What each rule gives the nodes, in their order and with its weight. */
export function plainPoints(
  pod: Pod,
  nodes: readonly Node[],
  world: PlainWorld,
): Readonly<Record<string, readonly number[]>> {
  return {
    leastAllocated: weighted(
      1,
      nodes.map((node) => leastAllocated(pod, node, world)),
    ),
    balanced: weighted(
      1,
      nodes.map((node) => balanced(pod, node, world)),
    ),
    softTaints: weighted(3, softTaints(pod, nodes)),
    preferredNodes: weighted(2, preferredNodes(pod, nodes)),
    spread: weighted(2, spreadScores(pod, nodes, world)),
    affinity: weighted(2, affinityScores(pod, nodes, world)),
    images: weighted(1, imageScores(pod, nodes, world)),
  };
}

function weighted(weight: number, scores: readonly number[]): readonly number[] {
  return scores.map((score) => score * weight);
}

/** Of the first rule against the node; none where it fits. */
export function firstReasons(pod: Pod, node: Node, world: PlainWorld): readonly string[] {
  const { taints = [], unschedulable } = node.spec;
  if (unschedulable === true && !tolerated(pod, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }))
    return ['node(s) were unschedulable'];
  const taint = taints.find((each) => each.effect !== 'PreferNoSchedule' && !tolerated(pod, each));
  if (taint !== undefined) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`];
  if (!selectsNode(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  if (podsOn(node, world).some((other) => collide(pod, other)))
    return ["node(s) didn't have free ports for the requested pod ports"];
  const short = shortages(pod, node, world);
  if (short.length > 0) return short;
  const spread = spreadReason(pod, node, world);
  if (spread !== undefined) return [spread];
  const affinity = affinityReason(pod, node, world);
  return affinity === undefined ? [] : [affinity];
}

function shortages(pod: Pod, node: Node, world: PlainWorld): readonly string[] {
  const whole = allocatable(node);
  const used = taken(node, world);
  const wanted = requestsOf(pod);
  const lacks = (name: string): boolean =>
    (wanted[name] ?? 0) > 0 && (used[name] ?? 0) + (wanted[name] ?? 0) > (whole[name] ?? 0);
  const plain = ['cpu', 'memory', 'ephemeral-storage'];
  const others = Object.keys(wanted).filter((name) => !plain.includes(name));
  return [
    ...(podsOn(node, world).length + 1 > (whole['pods'] ?? 0) ? ['Too many pods'] : []),
    ...[...plain, ...others].filter(lacks).map((name) => `Insufficient ${name}`),
  ];
}

function spreadReason(pod: Pod, node: Node, world: PlainWorld): string | undefined {
  const constraints = spreadOf(pod, 'DoNotSchedule');
  const words = "node(s) didn't match pod topology spread constraints";
  for (const constraint of constraints) {
    const { topologyKey, maxSkew, minDomains } = constraint;
    const here = labelsOf(node)[topologyKey];
    if (here === undefined) return `${words} (missing required label)`;
    const selector = selectorOf(constraint, pod);
    const sums: Record<string, number> = {};
    for (const each of world.nodes)
      if (hasAll(each, constraints) && isCountedIn(each, { pod, constraint })) {
        const value = labelsOf(each)[topologyKey] ?? '';
        sums[value] = (sums[value] ?? 0) + alikeOn(each, { pod, selector, world });
      }
    const domains = Object.values(sums);
    const least = minDomains !== undefined && domains.length < minDomains ? 0 : Math.min(...domains);
    if ((sums[here] ?? 0) + (selects(selector, labelsOf(pod)) ? 1 : 0) - least > maxSkew) return words;
  }
  return undefined;
}

function affinityReason(pod: Pod, node: Node, world: PlainWorld): string | undefined {
  const here = labelsOf(node);
  const all = placed(world);
  const isNear = (place: Labels, { topologyKey }: PodAffinityTerm): boolean =>
    here[topologyKey] !== undefined && here[topologyKey] === place[topologyKey];
  const terms = nearTerms(pod);
  const company = all.filter(({ other }) => terms.every((term) => isAbout(term, { owner: pod, other, world })));
  const counted = company.filter(({ place }) => terms.some(({ topologyKey }) => place[topologyKey] !== undefined));
  const hasKeys = terms.every(({ topologyKey }) => here[topologyKey] !== undefined);
  const isFirst = counted.length === 0 && terms.every((term) => isAbout(term, { owner: pod, other: pod, world }));
  const isAccompanied = terms.every((term) => company.some(({ place }) => isNear(place, term)));
  if (!hasKeys || !(isAccompanied || isFirst)) return "node(s) didn't match pod affinity rules";
  for (const term of apartTerms(pod))
    if (all.some(({ other, place }) => isNear(place, term) && isAbout(term, { owner: pod, other, world })))
      return "node(s) didn't match pod anti-affinity rules";
  for (const { other, place } of all)
    for (const term of apartTerms(other))
      if (isNear(place, term) && isAbout(term, { owner: other, other: pod, world }))
        return "node(s) didn't satisfy existing pods anti-affinity rules";
  return undefined;
}
