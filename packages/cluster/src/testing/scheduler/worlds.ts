/** Random worlds for the scheduler: few words, so that rules are about somebody. */
import fc from 'fast-check';
import type {
  Affinity,
  Container,
  ContainerPort,
  NodeSelectorTerm,
  PodAffinityTerm,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from '../../api/generated/core-v1.ts';
import type { LabelSelector } from '../../api/meta.ts';
import type { NodeParts, PodParts } from '../makers.ts';

const apps = ['x', 'y', 'z'];
const keys = ['topology.kubernetes.io/zone', 'rack', 'kubernetes.io/hostname'];

/** One time in `freq` it is missing. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 2): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq });

/** One time in four: all rules at once leave no place. */
const sometimes = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.integer({ min: 0, max: 3 }).chain((draw) => (draw === 0 ? arbitrary : fc.constant(undefined)));

const taint: fc.Arbitrary<Taint> = fc.constantFrom(
  ...['k', 'l'].flatMap((key) =>
    ['NoSchedule', 'PreferNoSchedule', 'NoExecute'].flatMap((effect) => [
      { key, effect },
      { key, effect, value: 'v' },
    ]),
  ),
);

const toleration: fc.Arbitrary<Toleration> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      key: fc.constantFrom('k', 'l', 'node.kubernetes.io/unschedulable'),
      operator: fc.constant('Exists'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Toleration>(
      { key: 'k', operator: 'Equal', value: 'v' },
      { key: 'k', value: 'v' },
      { key: 'l' },
      { key: 'k', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'l', operator: 'Equal', value: 'w' },
      { operator: 'Exists', effect: 'NoExecute' },
    ),
  },
  { weight: 1, arbitrary: fc.constant<Toleration>({ operator: 'Exists' }) },
);

const mebibyte = 2 ** 20;
/** What nodes call images; and what pods call them, with one that nobody has. */
const imagesThere = {
  'example/main:1': 300 * mebibyte,
  'plain:latest': 1500 * mebibyte,
  'registry:5000/plain:latest': 50 * mebibyte,
};
const imagesWanted = ['example/main:1', 'example/main:1', 'plain', 'registry:5000/plain', 'nobody/has:1'];

const extended = 'example.com/gpu';

export const nodeParts: fc.Arbitrary<NodeParts> = fc
  .record({
    zone: maybe(fc.constantFrom('a', 'b', 'c'), 5),
    rack: maybe(fc.constantFrom('1', '2'), 3),
    disk: maybe(fc.constantFrom('ssd', 'hdd')),
    taints: fc.array(taint, { maxLength: 2 }),
    unschedulable: fc.integer({ min: 0, max: 9 }),
    cpu: fc.constantFrom('2', '4'),
    pods: fc.constantFrom('2', '3', '110', '110'),
    gpu: maybe(fc.constantFrom('0', '2')),
    storage: maybe(fc.constant('1Gi')),
    images: maybe(fc.subarray(Object.entries(imagesThere)).map(Object.fromEntries<number>)),
  })
  .map(({ zone, rack, disk, taints, unschedulable, cpu, pods, gpu, storage, images }) => ({
    labels: {
      ...(zone !== undefined && { 'topology.kubernetes.io/zone': zone }),
      ...(rack !== undefined && { rack }),
      ...(disk !== undefined && { disk }),
    },
    ...(taints.length > 1 && { taints: taints.slice(1) }),
    ...(unschedulable === 0 && { unschedulable: true }),
    cpu,
    memory: '8Gi',
    pods,
    allocatable: {
      ...(gpu !== undefined && { [extended]: gpu }),
      ...(storage !== undefined && { 'ephemeral-storage': storage }),
    },
    ...(images !== undefined && { images }),
  }));

export const selector: fc.Arbitrary<LabelSelector> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...apps).map((app): LabelSelector => ({ matchLabels: { app } })) },
  {
    weight: 2,
    arbitrary: fc
      .record({ operator: fc.constantFrom('In', 'NotIn'), values: fc.subarray(apps, { minLength: 1 }) })
      .map(({ operator, values }): LabelSelector => ({ matchExpressions: [{ key: 'app', operator, values }] })),
  },
  { weight: 1, arbitrary: fc.constant<LabelSelector>({ matchExpressions: [{ key: 'tier', operator: 'Exists' }] }) },
);

const term: fc.Arbitrary<PodAffinityTerm> = fc
  .record({
    topologyKey: fc.constantFrom(...keys),
    labelSelector: selector,
    namespaces: maybe(fc.subarray(['default', 'other'], { minLength: 1 })),
    namespaceSelector: maybe(fc.constantFrom<LabelSelector>({}, { matchLabels: { team: 'blue' } })),
    plain: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ topologyKey, labelSelector, namespaces, namespaceSelector, plain }) => ({
    topologyKey,
    labelSelector,
    ...(plain === 0 && namespaces !== undefined && { namespaces }),
    ...(plain === 0 && namespaceSelector !== undefined && { namespaceSelector }),
  }));

const terms = fc.array(term, { minLength: 1, maxLength: 2 });
const weighted = fc.array(fc.record({ weight: fc.integer({ min: 1, max: 100 }), podAffinityTerm: term }), {
  minLength: 1,
  maxLength: 2,
});

const nodeTerm = fc.constantFrom<NodeSelectorTerm>(
  ...['ssd', 'hdd'].map((value) => ({ matchExpressions: [{ key: 'disk', operator: 'In', values: [value] }] })),
  { matchExpressions: [{ key: 'disk', operator: 'NotIn', values: ['ssd'] }] },
  { matchExpressions: [{ key: 'disk', operator: 'DoesNotExist' }] },
  { matchExpressions: [{ key: 'rack', operator: 'Gt', values: ['1'] }] },
  {
    matchExpressions: [
      { key: 'rack', operator: 'Lt', values: ['2'] },
      { key: 'disk', operator: 'Exists' },
    ],
  },
  { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] },
  { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n0'] }] },
  {
    matchExpressions: [{ key: 'rack', operator: 'Exists' }],
    matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n0'] }],
  },
  // It matches nothing.
  {},
);
const nodeTerms = fc.array(nodeTerm, { minLength: 1, maxLength: 2 });
const weightedNodes = fc.array(fc.record({ weight: fc.integer({ min: 1, max: 100 }), preference: nodeTerm }), {
  minLength: 1,
  maxLength: 3,
});

const affinity: fc.Arbitrary<Affinity> = fc
  .record({
    near: sometimes(terms),
    apart: sometimes(terms),
    likes: sometimes(weighted),
    avoids: sometimes(weighted),
    needs: sometimes(nodeTerms),
    prefers: maybe(weightedNodes),
  })
  .map(({ near = [], apart = [], likes = [], avoids = [], needs, prefers }) => ({
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: near,
      preferredDuringSchedulingIgnoredDuringExecution: likes,
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: apart,
      preferredDuringSchedulingIgnoredDuringExecution: avoids,
    },
    nodeAffinity: {
      ...(needs !== undefined && {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: needs },
      }),
      ...(prefers !== undefined && {
        preferredDuringSchedulingIgnoredDuringExecution: prefers,
      }),
    },
  }));

const constraint: fc.Arbitrary<TopologySpreadConstraint> = fc
  .record({
    topologyKey: fc.constantFrom(...keys),
    maxSkew: fc.constantFrom(1, 1, 2, 3),
    whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
    labelSelector: selector,
    minDomains: maybe(fc.integer({ min: 1, max: 4 })),
    matchLabelKeys: maybe(fc.constant(['tier'])),
    nodeAffinityPolicy: maybe(fc.constantFrom('Honor', 'Ignore')),
    nodeTaintsPolicy: maybe(fc.constantFrom('Honor', 'Ignore')),
  })
  .map(({ minDomains, matchLabelKeys, nodeAffinityPolicy, nodeTaintsPolicy, ...rest }) => ({
    ...rest,
    ...(minDomains !== undefined && rest.whenUnsatisfiable === 'DoNotSchedule' && { minDomains }),
    // A server takes no key that the selector has as well.
    ...(matchLabelKeys !== undefined && !asksForTier(rest.labelSelector) && { matchLabelKeys }),
    ...(nodeAffinityPolicy !== undefined && { nodeAffinityPolicy }),
    ...(nodeTaintsPolicy !== undefined && { nodeTaintsPolicy }),
  }));

function asksForTier({ matchExpressions = [] }: LabelSelector): boolean {
  return matchExpressions.some(({ key }) => key === 'tier');
}

/** A server takes no two of one key and kind. */
function spreadBy({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string {
  return `${topologyKey} ${whenUnsatisfiable}`;
}

const port = fc.constantFrom<Omit<ContainerPort, 'containerPort'> | undefined>(
  ...Array.from({ length: 8 }, () => undefined),
  { hostPort: 80, protocol: 'TCP' },
  { hostPort: 80, protocol: 'UDP' },
  { hostPort: 80, protocol: 'TCP', hostIP: '127.0.0.1' },
  { hostPort: 80, protocol: 'TCP', hostIP: '127.0.0.2' },
);

const asked = fc
  .record({
    cpu: maybe(fc.constantFrom('100m', '500m', '1500m'), 3),
    memory: maybe(fc.constantFrom('1Gi', '3Gi')),
    storage: fc.integer({ min: 0, max: 6 }),
    gpu: fc.integer({ min: 0, max: 9 }),
  })
  .map(({ cpu, memory, storage, gpu }) => ({
    requests: {
      ...(cpu !== undefined && { cpu }),
      ...(memory !== undefined && { memory }),
      ...(storage === 1 && { 'ephemeral-storage': '600Mi' }),
      ...(gpu === 1 && { [extended]: '1' }),
    },
    ...(gpu === 1 && { limits: { [extended]: '1' } }),
  }));

type ContainerParts = Omit<Container, 'name'>;

const container: fc.Arbitrary<ContainerParts> = fc
  .record({ resources: asked, image: fc.constantFrom(...imagesWanted), port })
  .map(({ resources, image, port: given }) => ({
    ...{ image, resources },
    ...(given !== undefined && { ports: [{ ...given, containerPort: 80 }] }),
  }));

/** What runs before the others, and at times beside them. */
const before = fc.array(fc.record({ container, isBeside: fc.boolean() }), { minLength: 1, maxLength: 2 });

export const podParts: fc.Arbitrary<PodParts> = fc
  .record({
    app: fc.constantFrom(...apps),
    tier: maybe(fc.constantFrom('front', 'back')),
    namespace: fc.constantFrom('default', 'default', 'default', 'other'),
    containers: fc.oneof(
      { weight: 4, arbitrary: fc.array(container, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(container, { minLength: 2, maxLength: 2 }) },
    ),
    initContainers: sometimes(before),
    affinity: maybe(affinity, 3),
    constraints: sometimes(fc.uniqueArray(constraint, { minLength: 1, maxLength: 2, selector: spreadBy })),
    disk: fc.integer({ min: 0, max: 6 }),
    tolerations: fc.array(toleration, { maxLength: 2 }),
  })
  .map(({ app, tier, namespace, containers, initContainers = [], affinity: given, constraints = [], ...rest }) => ({
    namespace,
    labels: { app, ...(tier !== undefined && { tier }) },
    spec: {
      tolerations: rest.tolerations,
      containers: containers.map((each, index) => named(each, { index, first: containers[0] })),
      ...(initContainers.length > 0 && {
        initContainers: initContainers.map((each, index) => ({
          ...each.container,
          name: `before-${index}`,
          ...(each.isBeside && { restartPolicy: 'Always' }),
        })),
      }),
      ...(given !== undefined && { affinity: given }),
      ...(constraints.length > 0 && { topologySpreadConstraints: constraints }),
      ...(rest.disk === 1 && { nodeSelector: { disk: 'ssd' } }),
    },
  }));

/** A server takes no port of a node twice from one pod. */
function named(
  { ports, ...each }: ContainerParts,
  { index, first }: { readonly index: number; readonly first: ContainerParts | undefined },
): Container {
  const isTaken = index > 0 && ports !== undefined && first?.ports !== undefined;
  return { ...each, ...(ports !== undefined && !isTaken && { ports }), name: `main-${index}` };
}

/** With one container of which whoever asks says more: what it requests stands beside the spec. */
export const plainPodParts: fc.Arbitrary<PodParts> = fc
  .record({ parts: podParts, port: fc.integer({ min: 0, max: 6 }) })
  .map(({ parts: { spec: drawn = {}, ...parts }, port }) => {
    const { containers: _, initContainers: __, ...spec } = drawn;
    return { ...parts, spec, ...(port === 1 && { hostPort: 80 }) };
  });

/** What happens, one after the other. Numbers choose among what there is. */
export type Event =
  | { readonly do: 'place' | 'ask' | 'press'; readonly template: number }
  | { readonly do: 'end' | 'remove' | 'relabel' | 'stop'; readonly pod: number }
  | { readonly do: 'leave'; readonly node: number }
  | { readonly do: 'node'; readonly node: number; readonly parts: NodeParts };

const index = fc.nat({ max: 50 });

export const events: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: index.map((template): Event => ({ do: 'place', template })) },
    { weight: 3, arbitrary: index.map((template): Event => ({ do: 'ask', template })) },
    { weight: 3, arbitrary: index.map((template): Event => ({ do: 'press', template })) },
    {
      weight: 4,
      arbitrary: fc
        .record({ do: fc.constantFrom('end', 'remove', 'remove', 'relabel', 'stop'), pod: index })
        .map((event): Event => event as Event),
    },
    { weight: 1, arbitrary: index.map((node): Event => ({ do: 'leave', node })) },
    {
      weight: 1,
      arbitrary: fc
        .record({ node: fc.nat({ max: 9 }), parts: nodeParts })
        .map((event): Event => ({ do: 'node', ...event })),
    },
  ),
  { minLength: 12, maxLength: 50, size: 'max' },
);
