import type {
  DaemonSet,
  DaemonSetSpec,
  Deployment,
  KubeObject,
  New,
  Node,
  Pod,
  PodTemplateSpec,
  Random,
  StatefulSet,
} from '@signalbox/cluster';

/** Random objects. Names come from small pools, so that objects meet, collide and come back. */
export function pick<T>(random: Random, items: readonly T[]): T {
  if (items.length === 0) throw new Error('nothing to pick from');
  return items[random.below(items.length)] as T;
}

export function chance(random: Random, probability: number): boolean {
  return random.next() < probability;
}

export const namespacePool: readonly string[] = ['default', 'default', 'team-a', 'team-b'];
export const zones: readonly string[] = ['a', 'b'];
export const zoneLabel = 'zone';
export const taintKey = 'dedicated';
export const priorityClasses = [
  { name: 'high', value: 1000 },
  { name: 'low', value: -10 },
] as const;

export function randomImage(random: Random): string {
  return chance(random, 0.12) ? 'registry.invalid/app:1' : `app:${1 + random.below(4)}`;
}

export function randomNode(random: Random, name: string): New<Node> {
  const capacity = {
    cpu: pick(random, ['1', '2', '4']),
    memory: pick(random, ['2Gi', '8Gi']),
    pods: pick(random, ['4', '8', '110']),
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [zoneLabel]: pick(random, zones) } },
    spec: {},
    status: { capacity },
  };
}

export function randomTemplate(random: Random, app: string): PodTemplateSpec {
  const requests = {
    cpu: pick(random, ['50m', '100m', '500m', '1', '1500m']),
    memory: pick(random, ['64Mi', '256Mi', '1Gi']),
  };
  const readyAfter = chance(random, 0.3) && { 'signalbox.dev/ready-after': pick(random, ['1s', '15s']) };
  const stopAfter = chance(random, 0.3) && { 'signalbox.dev/stop-after': pick(random, ['5s', '2m']) };
  const hostPort = 8_000 + random.below(3);
  return {
    metadata: { labels: { app }, annotations: { ...readyAfter, ...stopAfter } },
    spec: {
      containers: [
        {
          name: 'main',
          image: randomImage(random),
          resources: { requests },
          ...(chance(random, 0.1) && { ports: [{ containerPort: hostPort, hostPort }] }),
        },
      ],
      ...(chance(random, 0.2) && { nodeSelector: { [zoneLabel]: pick(random, zones) } }),
      ...(chance(random, 0.25) && { tolerations: [{ key: taintKey, operator: 'Exists' }] }),
      ...(chance(random, 0.25) && { priorityClassName: pick(random, priorityClasses).name }),
      ...(chance(random, 0.3) && { terminationGracePeriodSeconds: pick(random, [0, 1, 60]) }),
    },
  };
}

export interface Placed {
  readonly namespace: string;
  readonly name: string;
}

export function randomDaemonSet(random: Random, { namespace, name }: Placed): New<DaemonSet> {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { namespace, name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: randomTemplate(random, name),
      updateStrategy: randomDaemonStrategy(random),
      ...(chance(random, 0.3) && { minReadySeconds: pick(random, [5, 30]) }),
      ...(chance(random, 0.3) && { revisionHistoryLimit: random.below(3) }),
    },
  };
}

function randomDaemonStrategy(random: Random): NonNullable<DaemonSetSpec['updateStrategy']> {
  if (chance(random, 0.15)) return { type: 'OnDelete' };
  const amount = pick(random, [1, 2, '50%']);
  const rollingUpdate = chance(random, 0.3) ? { maxSurge: amount, maxUnavailable: 0 } : { maxUnavailable: amount };
  return { type: 'RollingUpdate', rollingUpdate };
}

export function randomStatefulSet(random: Random, { namespace, name }: Placed): New<StatefulSet> {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { namespace, name },
    spec: {
      serviceName: name,
      replicas: random.below(5),
      selector: { matchLabels: { app: name } },
      template: randomTemplate(random, name),
      podManagementPolicy: pick(random, ['OrderedReady', 'Parallel']),
      ...(chance(random, 0.2) && { minReadySeconds: 5 }),
      ...(chance(random, 0.2) && {
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: random.below(3) } },
      }),
    },
  };
}

export function randomDeployment(random: Random, { namespace, name }: Placed): New<Deployment> {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name },
    spec: {
      replicas: random.below(6),
      selector: { matchLabels: { app: name } },
      template: randomTemplate(random, name),
      strategy: chance(random, 0.25) ? { type: 'Recreate' } : { type: 'RollingUpdate' },
      ...(chance(random, 0.2) && { minReadySeconds: 5 }),
      ...(chance(random, 0.3) && { revisionHistoryLimit: random.below(3) }),
    },
  };
}

/** Now and then a bare pod wears a workload's label, and is to be adopted or left alone. */
export function randomPod(random: Random, place: Placed): New<Pod> {
  const app = chance(random, 0.2) ? pick(random, ['ds-0', 'sts-0', 'deploy-0']) : place.name;
  const { metadata, spec } = randomTemplate(random, app);
  const ends = chance(random, 0.2) && {
    'signalbox.dev/exit-after': pick(random, ['3s', '1m']),
    'signalbox.dev/exit-code': pick(random, ['0', '1']),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, ...place, annotations: { ...metadata?.annotations, ...ends } },
    spec: { containers: [], ...spec, restartPolicy: ends === false ? 'Always' : 'Never' },
  } as New<Pod>;
}

export const widgetDefinition: New<KubeObject> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.sim.example.com' },
  spec: {
    group: 'sim.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
} as New<KubeObject>;
