/**
 * The scheduler once more, plain and slow: every rule walks all nodes and pods each time it is asked, nothing is counted ahead,
 * sampled or remembered. What the real one says is compared with it.
 */
import type {
  Node,
  NodeSelectorTerm,
  Pod,
  PodAffinityTerm,
  Taint,
  TopologySpreadConstraint,
} from '../../api/generated/core-v1.ts';
import type { LabelSelector } from '../../api/meta.ts';
import { podRequests } from '../../resources/core/pod/facts.ts';

type Labels = Readonly<Record<string, string>>;

export interface PlainWorld {
  readonly nodes: readonly Node[];
  /** Those that have a node. */
  readonly pods: readonly Pod[];
  /** Labels of namespaces. */
  readonly namespaces: Readonly<Record<string, Labels>>;
  /** Selectors of the Services of the namespace `default`. */
  readonly services: readonly Labels[];
}

export interface PlainAnswer {
  /** Node → the reasons of the first rule against it; none when it fits. */
  readonly reasons: Readonly<Record<string, readonly string[]>>;
  /** Node that fits → the sum of what all rules give it. */
  readonly totals: Readonly<Record<string, number>>;
}

export function plainAnswer(pod: Pod, world: PlainWorld): PlainAnswer {
  const reasons = Object.fromEntries(world.nodes.map((node) => [node.metadata.name, firstReasons(pod, node, world)]));
  const fitting = world.nodes.filter(({ metadata }) => reasons[metadata.name]?.length === 0);
  const parts = [
    weighted(
      1,
      fitting.map((node) => leastAllocated(pod, node, world)),
    ),
    weighted(
      1,
      fitting.map((node) => balanced(pod, node, world)),
    ),
    weighted(3, softTaints(pod, fitting)),
    weighted(2, preferredNodes(pod, fitting)),
    weighted(2, spreadScores(pod, fitting, world)),
    weighted(2, affinityScores(pod, fitting, world)),
  ];
  const totals = Object.fromEntries(
    fitting.map(({ metadata }, index) => [metadata.name, parts.reduce((sum, part) => sum + (part[index] ?? 0), 0)]),
  );
  return { reasons, totals };
}

function weighted(weight: number, scores: readonly number[]): readonly number[] {
  return scores.map((score) => score * weight);
}

function firstReasons(pod: Pod, node: Node, world: PlainWorld): readonly string[] {
  const { taints = [], unschedulable } = node.spec;
  if (unschedulable === true && !tolerated(pod, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }))
    return ['node(s) were unschedulable'];
  const taint = taints.find((each) => each.effect !== 'PreferNoSchedule' && !tolerated(pod, each));
  if (taint !== undefined) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`];
  if (!selectsNode(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  if (portsOf(pod).some((port) => podsOn(node, world).some((other) => portsOf(other).includes(port))))
    return ["node(s) didn't have free ports for the requested pod ports"];
  const short = shortages(pod, node, world);
  if (short.length > 0) return short;
  const spread = spreadReason(pod, node, world);
  if (spread !== undefined) return [spread];
  const affinity = affinityReason(pod, node, world);
  return affinity === undefined ? [] : [affinity];
}

function tolerated(pod: Pod, taint: Taint): boolean {
  return (pod.spec.tolerations ?? []).some(
    ({ key, operator, value = '', effect }) =>
      (effect === undefined || effect === taint.effect) &&
      (key === undefined || key === taint.key) &&
      (operator === 'Exists' || value === (taint.value ?? '')),
  );
}

function labelsOf(object: Node | Pod): Labels {
  return object.metadata.labels ?? {};
}

function podsOn(node: Node, { pods }: PlainWorld): readonly Pod[] {
  return pods.filter(({ spec, status }) => spec.nodeName === node.metadata.name && status.phase !== 'Succeeded');
}

function selectsNode(pod: Pod, node: Node): boolean {
  const { nodeSelector = {}, affinity } = pod.spec;
  if (Object.entries(nodeSelector).some(([key, value]) => labelsOf(node)[key] !== value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

function matchesTerm({ matchExpressions = [] }: NodeSelectorTerm, node: Node): boolean {
  return matchExpressions.length > 0 && selects({ matchExpressions }, labelsOf(node));
}

function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      const isIn = value !== undefined && values.includes(value);
      return operator === 'In' ? isIn : !isIn;
    })
  );
}

function portsOf({ spec }: Pod): readonly number[] {
  return spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0 }) => (hostPort > 0 ? [hostPort] : [])),
  );
}

function allocatable(node: Node): { readonly cpu: number; readonly memory: number; readonly pods: number } {
  const { cpu = '0', memory = '0', pods = '0' } = node.status.allocatable ?? {};
  return { cpu: Number(cpu) * 1000, memory: Number(memory.replace('Gi', '')) * 2 ** 30, pods: Number(pods) };
}

function taken(
  node: Node,
  world: PlainWorld,
): { readonly cpu: number; readonly memory: number; readonly pods: number } {
  const pods = podsOn(node, world);
  return {
    cpu: pods.reduce((sum, pod) => sum + podRequests(pod).cpuMilli, 0),
    memory: pods.reduce((sum, pod) => sum + podRequests(pod).memoryBytes, 0),
    pods: pods.length,
  };
}

function shortages(pod: Pod, node: Node, world: PlainWorld): readonly string[] {
  const whole = allocatable(node);
  const used = taken(node, world);
  const { cpuMilli, memoryBytes } = podRequests(pod);
  return [
    ...(used.pods + 1 > whole.pods ? ['Too many pods'] : []),
    ...(cpuMilli > 0 && used.cpu + cpuMilli > whole.cpu ? ['Insufficient cpu'] : []),
    ...(memoryBytes > 0 && used.memory + memoryBytes > whole.memory ? ['Insufficient memory'] : []),
  ];
}

// Spread

function spreadOf(pod: Pod, what: string): readonly TopologySpreadConstraint[] {
  return (pod.spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === what);
}

function selectorOf({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint, pod: Pod): LabelSelector {
  const own = matchLabelKeys.flatMap((key) => {
    const value = labelsOf(pod)[key];
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }];
  });
  return { ...labelSelector, matchExpressions: [...(labelSelector?.matchExpressions ?? []), ...own] };
}

function isCountedIn(
  node: Node,
  { pod, constraint }: { readonly pod: Pod; readonly constraint: TopologySpreadConstraint },
): boolean {
  if (constraint.nodeAffinityPolicy !== 'Ignore' && !selectsNode(pod, node)) return false;
  const { taints = [] } = node.spec;
  return (
    constraint.nodeTaintsPolicy !== 'Honor' ||
    taints.every((taint) => taint.effect === 'PreferNoSchedule' || tolerated(pod, taint))
  );
}

function alikeOn(
  node: Node,
  { pod, selector, world }: { readonly pod: Pod; readonly selector: LabelSelector; readonly world: PlainWorld },
): number {
  return podsOn(node, world).filter(
    (other) =>
      other.metadata.namespace === pod.metadata.namespace &&
      other.metadata.deletionTimestamp === undefined &&
      selects(selector, labelsOf(other)),
  ).length;
}

function hasAll(node: Node, constraints: readonly TopologySpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => labelsOf(node)[topologyKey] !== undefined);
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

function spreadScores(pod: Pod, nodes: readonly Node[], world: PlainWorld): readonly number[] {
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

// Affinity

function isAbout(
  term: PodAffinityTerm,
  { owner, other, world }: { readonly owner: Pod; readonly other: Pod; readonly world: PlainWorld },
): boolean {
  const { namespaces = [], namespaceSelector, labelSelector } = term;
  const theirs = other.metadata.namespace ?? '';
  const isNamed =
    namespaces.includes(theirs) ||
    (namespaces.length === 0 && namespaceSelector === undefined && theirs === owner.metadata.namespace);
  const isSelected = namespaceSelector !== undefined && selects(namespaceSelector, world.namespaces[theirs] ?? {});
  return (isNamed || isSelected) && selects(labelSelector, labelsOf(other));
}

function nearTerms({ spec }: Pod): readonly PodAffinityTerm[] {
  return spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

function apartTerms({ spec }: Pod): readonly PodAffinityTerm[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** Pods with the nodes that they are on. */
function placed(world: PlainWorld): readonly { readonly other: Pod; readonly place: Labels }[] {
  return world.nodes.flatMap((node) => podsOn(node, world).map((other) => ({ other, place: labelsOf(node) })));
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

function preferredTerms({ spec }: Pod): readonly { readonly term: PodAffinityTerm; readonly weight: number }[] {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const near = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const apart = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...near.map(({ podAffinityTerm: term, weight }) => ({ term, weight })),
    ...apart.map(({ podAffinityTerm: term, weight }) => ({ term, weight: -weight })),
  ];
}

function affinityScores(pod: Pod, nodes: readonly Node[], world: PlainWorld): readonly number[] {
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

function leastAllocated(pod: Pod, node: Node, world: PlainWorld): number {
  const small = (each: Pod): { readonly cpu: number; readonly memory: number } => {
    const { cpuMilli, memoryBytes } = podRequests(each);
    return { cpu: cpuMilli === 0 ? 100 : cpuMilli, memory: memoryBytes === 0 ? 200 * 2 ** 20 : memoryBytes };
  };
  const all = [...podsOn(node, world), pod].map(small);
  const whole = allocatable(node);
  const left = (name: 'cpu' | 'memory'): number => {
    const wanted = all.reduce((sum, each) => sum + each[name], 0);
    return wanted > whole[name] ? 0 : Math.floor(((whole[name] - wanted) * 100) / whole[name]);
  };
  return Math.floor((left('cpu') + left('memory')) / 2);
}

function balanced(pod: Pod, node: Node, world: PlainWorld): number {
  const { cpuMilli, memoryBytes } = podRequests(pod);
  if (cpuMilli === 0 && memoryBytes === 0) return 0;
  const used = taken(node, world);
  const whole = allocatable(node);
  const cpu = Math.min(1, (used.cpu + cpuMilli) / whole.cpu);
  const memory = Math.min(1, (used.memory + memoryBytes) / whole.memory);
  return Math.floor((1 - Math.abs((cpu - memory) / 2)) * 100);
}

/** Where nobody has any, all are alike: upstream gives all of them the most, which changes nothing. */
function softTaints(pod: Pod, nodes: readonly Node[]): readonly number[] {
  const counts = nodes.map(
    ({ spec: { taints = [] } }) =>
      taints.filter((taint) => taint.effect === 'PreferNoSchedule' && !tolerated(pod, taint)).length,
  );
  const most = Math.max(0, ...counts);
  return counts.map((count) => (most === 0 ? 0 : 100 - Math.floor((100 * count) / most)));
}

function preferredNodes(pod: Pod, nodes: readonly Node[]): readonly number[] {
  const terms = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const sums = nodes.map((node) =>
    terms.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0),
  );
  const most = Math.max(0, ...sums);
  return sums.map((sum) => (most === 0 ? 0 : Math.floor((100 * sum) / most)));
}
