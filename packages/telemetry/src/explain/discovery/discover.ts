import { type FieldRequirement, type KubeObject, parseFieldSelector, parseLabelSelector } from '@signalbox/cluster';
import type { LabelSet } from '../../relabel/execute.ts';
import type { Section } from '../../scrape/http.ts';
import type { World } from '../../world/world.ts';
import { commonLabels, serviceOf, sliceTargets } from './endpoints.ts';
import { meta } from './meta-labels.ts';
import { ingressesIn, ingressTargets, nodesOf, nodeTargets, servicesIn, serviceTargets } from './other-roles.ts';
import { nodeLabelsOf, podsIn, podTargets } from './pods.ts';
import { type OnlyText, slicesPassing } from './slice-index.ts';

/** What service discovery finds for one job. */
export interface Discovered {
  readonly targets: readonly LabelSet[];
  /** Where it looks: `role endpointslice in shop`. */
  readonly looks: readonly Look[];
  /** How else targets are found, which nobody can foretell: `http_sd_configs`. */
  readonly unknown: readonly string[];
}

export interface Look {
  readonly role: string;
  /** Undefined: all of them. */
  readonly namespaces: readonly string[] | undefined;
}

export interface DiscoverOptions {
  /** The namespace that the agent runs in. */
  readonly home: string;
  /** Nothing is asked about slices whose targets are dropped anyway. */
  readonly prospect?: Prospect;
}

/** What is known of a slice's targets by the labels that all of them have. */
export interface Prospect {
  readonly isHopeless: (labels: LabelSet) => boolean;
  /** All others are hopeless. */
  readonly only: OnlyText | undefined;
}

interface KubernetesSection {
  readonly role: string;
  readonly api_server?: string;
  readonly namespaces?: { readonly own_namespace?: boolean; readonly names?: readonly string[] };
  readonly selectors?: readonly { readonly role: string; readonly label?: string; readonly field?: string }[];
  readonly attach_metadata?: { readonly node?: boolean };
}

interface StaticSection {
  readonly targets?: readonly string[];
  readonly labels?: LabelSet;
}

/**
 * What the agent would find for the job in this world, before its rules.
 */
export function discover(job: Section, world: World, { home, prospect = unknown }: DiscoverOptions): Discovered {
  const found = listIn<StaticSection>(job, 'static_configs').flatMap(({ targets = [], labels }) =>
    targets.map((address): LabelSet => ({ ...labels, __address__: address })),
  );
  const looks: Look[] = [];
  const otherwise = Object.keys(job).filter((name) => name.endsWith('_sd_configs') && name !== 'kubernetes_sd_configs');
  for (const section of listIn<KubernetesSection>(job, 'kubernetes_sd_configs')) {
    const { names = [], own_namespace } = section.namespaces ?? {};
    const places = [...names, ...(own_namespace === true ? [home] : [])];
    const namespaces = places.length === 0 ? undefined : places;
    if (section.api_server !== undefined) otherwise.push(`the cluster at ${section.api_server}`);
    looks.push({ role: section.role, namespaces });
    found.push(...roleTargets(section, { world, namespaces, prospect }));
  }
  return { targets: found, looks, unknown: otherwise };
}

const unknown: Prospect = { isHopeless: () => false, only: undefined };

interface Asked {
  readonly world: World;
  readonly namespaces: readonly string[] | undefined;
  readonly prospect: Prospect;
}

function roleTargets(section: KubernetesSection, { world, namespaces, prospect }: Asked): readonly LabelSet[] {
  const { role } = section;
  const attached = (target: LabelSet, nodeName: string | undefined): LabelSet =>
    section.attach_metadata?.node === true ? { ...target, ...nodeLabelsOf(nodeName, world) } : target;
  const passes = (each: string, object: KubeObject | undefined): boolean =>
    object === undefined || passesSelectors(section, each, object);
  switch (role) {
    case 'endpoints':
    case 'endpointslice':
      return slicesPassing({ world, namespaces, role, only: prospect.only })
        .filter((slice) => passes(role, slice) && passes('service', serviceOf(slice, world)))
        .filter((slice) => !prospect.isHopeless(commonLabels(slice, { role, world })))
        .flatMap((slice) => sliceTargets(slice, { role, world }))
        .map((target) => attached(target, target[podsNodeLabel] ?? target[nodeOf[role]]));
    case 'pod':
      return podsIn(world, namespaces)
        .filter((pod) => passes('pod', pod))
        .flatMap((pod) => podTargets(pod).map((target) => attached(target, pod.spec.nodeName)));
    case 'service':
      return servicesIn(world, namespaces)
        .filter((service) => passes('service', service))
        .flatMap(serviceTargets);
    case 'ingress':
      return ingressesIn(world, namespaces)
        .filter((ingress) => passes('ingress', ingress))
        .flatMap(ingressTargets);
    case 'node':
      return nodesOf(world)
        .filter((node) => passes('node', node))
        .flatMap(nodeTargets);
    default:
      return [];
  }
}

const nodeOf = {
  endpoints: `${meta}endpoint_node_name`,
  endpointslice: `${meta}endpointslice_endpoint_node_name`,
} as const;

/** By labels, and of fields by those that every object has. */
function passesSelectors({ selectors = [] }: KubernetesSection, role: string, object: KubeObject): boolean {
  return selectors
    .filter((each) => each.role === role)
    .every(
      ({ label = '', field = '' }) =>
        parseLabelSelector(label)(object.metadata.labels ?? {}) &&
        parseFieldSelector(field).every((requirement) => passesField(requirement, object)),
    );
}

function passesField({ path, operator, value }: FieldRequirement, object: KubeObject): boolean {
  const found = path.split('.').reduce<unknown>((part, name) => (part as Section | undefined)?.[name], object);
  return ((found ?? '') === value) === (operator === '=');
}

function listIn<T>(job: Section, name: string): readonly T[] {
  const list = job[name];
  return Array.isArray(list) ? (list as readonly T[]) : [];
}

/** `Pod shop/web-1`, or what else a target stands for. */
export function describeTarget(labels: LabelSet): string {
  for (const [kind, label] of described) {
    const name = labels[label];
    if (name !== undefined && name !== '') return `${kind} ${labels[namespaceLabel] ?? ''}/${name}`;
  }
  const node = labels[nodeLabel];
  return node === undefined ? '' : `Node ${node}`;
}

const described = [
  ['Pod', `${meta}pod_name`],
  ['Service', `${meta}service_name`],
  ['Ingress', `${meta}ingress_name`],
] as const;
const [namespaceLabel, nodeLabel, podsNodeLabel] = [`${meta}namespace`, `${meta}node_name`, `${meta}pod_node_name`];

export function keyOfTarget(kind: 'pod' | 'service', labels: LabelSet): string {
  return `${labels[`${meta}namespace`] ?? ''}/${labels[`${meta}${kind}_name`] ?? ''}`;
}
