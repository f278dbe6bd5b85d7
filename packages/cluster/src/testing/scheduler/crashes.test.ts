/** The scheduler dies at each of its writes, before or after it took effect: whoever comes next ends in the same state. */
import { expect, test } from 'vitest';
import { persistentvolumeclaims, pods } from '../../api/generated/kinds.ts';
import type { Transport } from '../../client/transport.ts';
import type { CreateComponent } from '../../runtime/supervisor.ts';
import { createTestCluster } from '../test-cluster.ts';

/** One pod of everything that the scheduler writes about. Where each may go is decided by labels, not by chance. */
const manifests = `
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: high }
value: 10
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: waiting }
provisioner: signalbox.dev/simulated
volumeBindingMode: WaitForFirstConsumer
parameters: { topologyKeys: kubernetes.io/hostname }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data, namespace: default }
spec: { storageClassName: waiting, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: Pod
metadata: { name: low, namespace: default }
spec:
  nodeSelector: { kubernetes.io/hostname: node-1 }
  terminationGracePeriodSeconds: 3
  containers: [{ name: main, image: 'app:1', resources: { requests: { cpu: '5' } } }]
---
apiVersion: v1
kind: Pod
metadata: { name: store, namespace: default }
spec:
  nodeSelector: { kubernetes.io/hostname: node-3 }
  containers: [{ name: main, image: 'app:1' }]
  volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]
---
apiVersion: v1
kind: Pod
metadata: { name: nowhere, namespace: default }
spec:
  nodeSelector: { kubernetes.io/hostname: node-9 }
  containers: [{ name: main, image: 'app:1' }]
`;

const apart = (name: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, namespace: default, labels: { app: apart } }
spec:
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - { topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { app: apart } } }
  containers: [{ name: main, image: 'app:1' }]
`;

const high = `
apiVersion: v1
kind: Pod
metadata: { name: high, namespace: default }
spec:
  priorityClassName: high
  nodeSelector: { kubernetes.io/hostname: node-1 }
  containers: [{ name: main, image: 'app:1', resources: { requests: { cpu: '6' } } }]
`;

interface Death {
  /** Counted from 1. */
  readonly atWrite: number;
  readonly when: 'before' | 'after';
}

interface Ended {
  readonly state: {
    readonly pods: readonly (readonly string[])[];
    readonly apart: readonly string[];
    readonly claims: readonly (readonly string[])[];
  };
  readonly writes: number;
  readonly deaths: number;
}

async function play(death: Death | undefined): Promise<Ended> {
  let writes = 0;
  let deaths = 0;
  const around =
    (create: CreateComponent): CreateComponent =>
    (platform) => {
      const component = create(platform);
      if (component.name !== 'default-scheduler' || deaths > 0) return component;
      let die: (reason: Error) => void = () => undefined;
      const died = new Promise<never>((_, reject) => {
        die = reject;
      });
      const { dismissEach } = platform.transport;
      const transport: Transport = {
        ...platform.transport,
        watch: (operation, waiting) => platform.transport.watch(operation, waiting),
        async perform(operation, waiting) {
          if (operation.verb === 'get' || operation.verb === 'list')
            return platform.transport.perform(operation, waiting);
          return written(() => platform.transport.perform(operation, waiting));
        },
        ...(dismissEach && {
          dismissEach: (operation, waiting) => written(() => dismissEach(operation, waiting)),
        }),
      };
      const written = async <T>(write: () => Promise<T>): Promise<T> => {
        const isLast = ++writes === death?.atWrite;
        if (deaths > 0 || (isLast && death.when === 'before')) return gone();
        const outcome = await write();
        return isLast ? gone() : outcome;
      };
      /** Nobody hears an answer any more. */
      const gone = (): Promise<never> => {
        deaths = 1;
        die(new Error('the scheduler has died'));
        return new Promise(() => undefined);
      };
      const mortal = create({ ...platform, transport });
      return { name: component.name, run: (options) => Promise.race([mortal.run(options), died]) };
    };
  const cluster = await createTestCluster({ nodes: 3, around });
  await cluster.applyYaml(`${manifests}---${['a', 'b', 'c', 'd'].map(apart).join('---')}`);
  await cluster.advance(20_000);
  await cluster.applyYaml(high);
  await cluster.advance(120_000);
  const { signal } = new AbortController();
  const all = (await cluster.client.list(pods, { namespace: 'default', signal })).items;
  const claims = (await cluster.client.list(persistentvolumeclaims, { namespace: 'default', signal })).items;
  const isApart = (name: string): boolean => name.length === 1;
  const state = {
    pods: all
      .filter(({ metadata }) => !isApart(metadata.name))
      .map(({ metadata, spec, status }) => {
        const condition = status.conditions?.find(({ type }) => type === 'PodScheduled');
        const { reason = '', message = '' } = condition ?? {};
        return [
          metadata.name,
          spec.nodeName ?? '',
          status.phase ?? '',
          status.nominatedNodeName ?? '',
          reason,
          message,
        ];
      }),
    // Which of them goes where is chance.
    apart: all
      .filter(({ metadata }) => isApart(metadata.name))
      .map(({ spec }) => spec.nodeName ?? '')
      .sort(),
    claims: claims.map(({ metadata, status }) => [metadata.name, status.phase ?? '']),
  };
  await cluster.close();
  return { state, writes, deaths };
}

test('whichever write is its last, before or after it took effect', async () => {
  const whole = await play(undefined);
  expect(whole.state).toMatchObject({ apart: ['', 'node-1', 'node-2', 'node-3'], claims: [['data', 'Bound']] });
  expect(whole.state.pods.map((pod) => pod.slice(0, 4).join(' '))).toEqual([
    'high node-1 Running node-1',
    'nowhere  Pending ',
    'store node-3 Running ',
  ]);
  expect(whole.writes).toBeGreaterThan(12);
  for (let atWrite = 1; atWrite <= whole.writes; atWrite++)
    for (const when of ['before', 'after'] as const) {
      const { state, deaths } = await play({ atWrite, when });
      expect({ atWrite, when, deaths, state }).toEqual({ atWrite, when, deaths: 1, state: whole.state });
    }
}, 300_000);
