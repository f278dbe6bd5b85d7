/** What the plain scheduler asks of nodes and pods, each time from the beginning. */
import type {
  Container,
  ContainerPort,
  Node,
  NodeSelectorTerm,
  Pod,
  PodAffinityTerm,
  Taint,
  TopologySpreadConstraint,
} from '../../api/generated/core-v1.ts';
import type { LabelSelector } from '../../api/meta.ts';

export type Labels = Readonly<Record<string, string>>;

export interface PlainWorld {
  readonly nodes: readonly Node[];
  /** Those that have a node. */
  readonly pods: readonly Pod[];
  /** Labels of namespaces. */
  readonly namespaces: Readonly<Record<string, Labels>>;
  /** Selectors of the Services of the namespace `default`. */
  readonly services: readonly Labels[];
}

export function tolerated(pod: Pod, taint: Taint): boolean {
  return (pod.spec.tolerations ?? []).some(
    ({ key, operator, value = '', effect }) =>
      (effect === undefined || effect === taint.effect) &&
      (key === undefined || key === taint.key) &&
      (operator === 'Exists' || value === (taint.value ?? '')),
  );
}

export function labelsOf(object: Node | Pod): Labels {
  return object.metadata.labels ?? {};
}

export function podsOn(node: Node, { pods }: PlainWorld): readonly Pod[] {
  return pods.filter(
    ({ spec, status: { phase } }) =>
      spec.nodeName === node.metadata.name && phase !== 'Succeeded' && phase !== 'Failed',
  );
}

export function selectsNode(pod: Pod, node: Node): boolean {
  const { nodeSelector = {}, affinity } = pod.spec;
  if (Object.entries(nodeSelector).some(([key, value]) => labelsOf(node)[key] !== value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** All of its expressions and all of its fields; a term without either matches nothing. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  const fields = { 'metadata.name': node.metadata.name };
  return (
    matchExpressions.length + matchFields.length > 0 &&
    matchExpressions.every((each) => meets(each, labelsOf(node))) &&
    matchFields.every((each) => meets(each, fields))
  );
}

function meets({ key, operator, values = [] }: Requirement, labels: Labels): boolean {
  const value = labels[key];
  switch (operator) {
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Gt':
      return Number(value) > Number(values[0]);
    case 'Lt':
      return Number(value) < Number(values[0]);
    default:
      throw new Error(`no operator ${operator}`);
  }
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((each) => meets(each, labels))
  );
}

/** Whether both want the same port of the same address. */
export function collide(pod: Pod, other: Pod): boolean {
  return portsOf(pod).some((a) =>
    portsOf(other).some(
      (b) =>
        a.hostPort === b.hostPort &&
        (a.protocol ?? 'TCP') === (b.protocol ?? 'TCP') &&
        (isEverywhere(a) || isEverywhere(b) || a.hostIP === b.hostIP),
    ),
  );
}

function portsOf({ spec }: Pod): readonly ContainerPort[] {
  return [...spec.containers, ...(spec.initContainers ?? []).filter(isBeside)]
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0);
}

function isEverywhere({ hostIP = '' }: ContainerPort): boolean {
  return hostIP === '' || hostIP === '0.0.0.0';
}

/** Runs beside the others, not before them. */
function isBeside({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}

/** By name; cpu in thousandths. */
export type PlainAmounts = Readonly<Record<string, number>>;

const units: PlainAmounts = { m: 1 / 1000, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

function amounts(given: Readonly<Record<string, string>> = {}): PlainAmounts {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const [, digits = '0', unit = ''] = /^(\d+)([a-zA-Z]*)$/.exec(text) ?? [];
      return [name, Number(digits) * (units[unit] ?? 1) * (name === 'cpu' ? 1000 : 1)];
    }),
  );
}

export function allocatable(node: Node): PlainAmounts {
  return amounts(node.status.allocatable);
}

/** What the pod needs when it needs the most, be it while it starts. `missing`: what a container has that does not say. */
export function requestsOf({ spec }: Pod, missing: Readonly<Record<string, string>> = {}): PlainAmounts {
  const of = ({ resources }: Container): PlainAmounts => amounts({ ...missing, ...resources?.requests });
  const sum = (all: readonly PlainAmounts[]): PlainAmounts => merged(all, (a, b) => a + b);
  const before = spec.initContainers ?? [];
  const starting = before.map((container, index) =>
    sum([...before.slice(0, index).filter(isBeside), container].map(of)),
  );
  const running = sum([...spec.containers, ...before.filter(isBeside)].map(of));
  return merged([running, ...starting], Math.max);
}

function merged(all: readonly PlainAmounts[], join: (a: number, b: number) => number): PlainAmounts {
  const result: Record<string, number> = {};
  for (const each of all)
    for (const [name, amount] of Object.entries(each)) result[name] = join(result[name] ?? 0, amount);
  return result;
}

export function taken(node: Node, world: PlainWorld, missing?: Readonly<Record<string, string>>): PlainAmounts {
  return merged(
    podsOn(node, world).map((pod) => requestsOf(pod, missing)),
    (a, b) => a + b,
  );
}

export function spreadOf(pod: Pod, what: string): readonly TopologySpreadConstraint[] {
  return (pod.spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === what);
}

export function selectorOf({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint, pod: Pod): LabelSelector {
  const own = matchLabelKeys.flatMap((key) => {
    const value = labelsOf(pod)[key];
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }];
  });
  return { ...labelSelector, matchExpressions: [...(labelSelector?.matchExpressions ?? []), ...own] };
}

export function isCountedIn(
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

export function alikeOn(
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

export function hasAll(node: Node, constraints: readonly TopologySpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => labelsOf(node)[topologyKey] !== undefined);
}

export function isAbout(
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

export function nearTerms({ spec }: Pod): readonly PodAffinityTerm[] {
  return spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

export function apartTerms({ spec }: Pod): readonly PodAffinityTerm[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** Pods with the nodes that they are on. */
export function placed(world: PlainWorld): readonly { readonly other: Pod; readonly place: Labels }[] {
  return world.nodes.flatMap((node) => podsOn(node, world).map((other) => ({ other, place: labelsOf(node) })));
}
