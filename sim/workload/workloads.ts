import { daemonsets, deployments, pods, type Random, replicasets, statefulsets } from '@signalbox/cluster';
import {
  chance,
  namespacePool,
  type Placed,
  pick,
  randomDaemonSet,
  randomDeployment,
  randomImage,
  randomPod,
  randomStatefulSet,
  randomTemplate,
} from '../manifests.ts';
import { anyPolicy, deleteAny, patchAny, type RandomOperation } from './operation.ts';

const place = (random: Random, prefix: string, count: number): Placed => ({
  namespace: pick(random, namespacePool),
  name: `${prefix}-${random.below(count)}`,
});

const created = ({ namespace, name }: Placed): string => `${namespace}/${name}`;

const creations: readonly RandomOperation[] = [
  {
    name: 'create a DaemonSet',
    weight: 5,
    async run({ client, random, signal }) {
      const at = place(random, 'ds', 2);
      await client.create(daemonsets, randomDaemonSet(random, at), { signal });
      return created(at);
    },
  },
  {
    name: 'create a StatefulSet',
    weight: 4,
    async run({ client, random, signal }) {
      const at = place(random, 'sts', 2);
      await client.create(statefulsets, randomStatefulSet(random, at), { signal });
      return created(at);
    },
  },
  {
    name: 'create a Deployment',
    weight: 4,
    async run({ client, random, signal }) {
      const at = place(random, 'deploy', 2);
      await client.create(deployments, randomDeployment(random, at), { signal });
      return created(at);
    },
  },
  {
    name: 'create a pod',
    weight: 4,
    async run({ client, random, signal }) {
      const at = place(random, 'pod', 6);
      await client.create(pods, randomPod(random, at), { signal });
      return created(at);
    },
  },
];

/** A merge patch of a whole template would keep what the new one leaves out, so some fields are cleared by name. */
function templatePatch(random: Random, app: string): unknown {
  const { metadata, spec } = randomTemplate(random, app);
  const cleared = { nodeSelector: null, tolerations: null, priorityClassName: null, priority: null };
  return { spec: { template: { metadata, spec: { ...cleared, ...spec } } } };
}

function imagePatch(random: Random): unknown {
  const containers = [
    { name: 'main', image: randomImage(random), resources: { requests: { cpu: '100m', memory: '64Mi' } } },
  ];
  return { spec: { template: { spec: { containers } } } };
}

const edits: readonly RandomOperation[] = [daemonsets, statefulsets, deployments].flatMap((type) => [
  { name: `change an image of ${type.resource}`, weight: 4, run: (doing) => patchAny(type, doing, imagePatch) },
  {
    name: `change a template of ${type.resource}`,
    weight: 2,
    run: (doing) => patchAny(type, doing, (random, { metadata }) => templatePatch(random, metadata.name)),
  },
  { name: `delete one of ${type.resource}`, weight: 2, run: (doing) => deleteAny(type, doing, anyPolicy) },
]);

const scalings: readonly RandomOperation[] = [
  {
    name: 'scale a StatefulSet',
    weight: 4,
    run: (doing) => patchAny(statefulsets, doing, (random) => ({ spec: { replicas: random.below(6) } })),
  },
  {
    name: 'scale a Deployment',
    weight: 4,
    run: (doing) => patchAny(deployments, doing, (random) => ({ spec: { replicas: random.below(8) } })),
  },
  {
    name: 'pause or resume a Deployment',
    weight: 1,
    run: (doing) => patchAny(deployments, doing, (random) => ({ spec: { paused: chance(random, 0.3) } })),
  },
];

const interference: readonly RandomOperation[] = [
  { name: 'delete a ReplicaSet', weight: 1, run: (doing) => deleteAny(replicasets, doing, anyPolicy) },
  {
    name: 'delete a pod',
    weight: 4,
    run: (doing) =>
      deleteAny(pods, doing, (random) => (chance(random, 0.2) ? { gracePeriodSeconds: random.below(2) } : {})),
  },
  {
    name: "take a pod's labels away",
    weight: 1,
    run: (doing) => patchAny(pods, doing, () => ({ metadata: { labels: { app: null } } })),
  },
  {
    name: 'give a pod a label',
    weight: 1,
    run: (doing) =>
      patchAny(pods, doing, (random) => ({
        metadata: { labels: { app: pick(random, ['ds-0', 'sts-0', 'deploy-0']) } },
      })),
  },
];

export const workloadOperations: readonly RandomOperation[] = [...creations, ...edits, ...scalings, ...interference];
