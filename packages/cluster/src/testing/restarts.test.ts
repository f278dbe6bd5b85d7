import { describe, expect, test } from 'vitest';
import {
  daemonsets,
  deployments,
  endpointslices,
  horizontalpodautoscalers,
  namespaces,
  nodes,
  persistentvolumeclaims,
  pods,
  statefulsets,
} from '../api/generated/kinds.ts';
import { sleep } from '../base/clock.ts';
import type { CreateComponent } from '../runtime/supervisor.ts';
import { createMemoryBackend } from '../store/backends/memory.ts';
import type { Backend } from '../store/store.ts';
import { createTestCluster, type TestCluster } from './test-cluster.ts';

const manifests = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: default }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: web, image: web:1, resources: { requests: { cpu: 100m } } }]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent, namespace: default }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec: { containers: [{ name: agent, image: agent:1 }] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db, namespace: default }
spec:
  replicas: 2
  serviceName: db
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec: { containers: [{ name: db, image: db:1 }] }
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  minReplicas: 3
  maxReplicas: 5
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 80 } } }]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web, namespace: default }
spec: { minAvailable: 1, selector: { matchLabels: { app: web } } }
`;

/** Each part's first life ends with a bug at this time; what it was doing is left as it is. */
const diesAfterMs = 200;

function mortal(name: string | undefined, names: string[]): (create: CreateComponent) => CreateComponent {
  return (create) => {
    let lives = 0;
    return (platform) => {
      const component = create(platform);
      if (lives === 0) names.push(component.name);
      lives++;
      if (lives > 1 || (name !== undefined && component.name !== name)) return component;
      return {
        name: component.name,
        run: ({ signal }) =>
          Promise.race([
            component.run({ signal }),
            sleep(platform.clock, diesAfterMs, { signal }).then(() => {
              throw new Error('a bug');
            }),
          ]),
      };
    };
  };
}

async function expectConverged(cluster: TestCluster): Promise<void> {
  const { client } = cluster;
  const { signal } = new AbortController();
  const within = { signal, namespace: 'default' };
  expect((await client.get(deployments, { ...within, name: 'web' })).status).toMatchObject({ readyReplicas: 3 });
  expect((await client.get(daemonsets, { ...within, name: 'agent' })).status).toMatchObject({ numberReady: 3 });
  expect((await client.get(statefulsets, { ...within, name: 'db' })).status).toMatchObject({ readyReplicas: 2 });
  const claims = await client.list(persistentvolumeclaims, within);
  expect(claims.items.map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound']);
  const slices = await client.list(endpointslices, within);
  const web = slices.items.find(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === 'web');
  expect(web?.endpoints).toHaveLength(3);
  expect((await client.get(horizontalpodautoscalers, { ...within, name: 'web' })).status?.desiredReplicas).toBe(3);
  // Later changes are seen as well: an owner goes, a node, a namespace.
  await client.delete(deployments, { ...within, name: 'web' });
  await client.create(namespaces, { metadata: { name: 'short' } } as never, { signal });
  await client.delete(namespaces, { signal, name: 'short' });
  await client.delete(nodes, { signal, name: 'node-3' });
  await cluster.advance(120_000);
  const left = await client.list(pods, within);
  expect(left.items.filter(({ metadata }) => metadata.name.startsWith('web'))).toEqual([]);
  expect(left.items.filter(({ spec }) => spec.nodeName === 'node-3')).toEqual([]);
  expect((await client.list(namespaces, { signal })).items.map(({ metadata }) => metadata.name)).not.toContain('short');
}

async function dieOnce(name: string | undefined): Promise<readonly string[]> {
  const names: string[] = [];
  const cluster = await createTestCluster({ around: mortal(name, names) });
  const health = (): readonly string[] =>
    cluster.api.checks('readyz').flatMap((check) => (check.failure === undefined ? [] : [check.name]));
  await cluster.applyYaml(manifests);
  await cluster.advance(diesAfterMs);
  expect(health()).toEqual(name === undefined ? names.map((each) => `component/${each}`) : [`component/${name}`]);
  await cluster.advance(120_000);
  expect(health()).toEqual([]);
  await expectConverged(cluster);
  expect(cluster.problems.filter(({ message }) => !message.includes('died and starts again'))).toEqual([]);
  await cluster.close();
  return names;
}

describe('a part that dies comes back and does its work', () => {
  test('all of them at once', async () => {
    expect((await dieOnce(undefined)).length).toBeGreaterThan(15);
  });

  test.each([
    'generic-garbage-collector',
    'namespace-controller',
    'pod-garbage-collector',
    'deployment',
    'replicaset',
    'daemonset',
    'statefulset',
    'endpointslice',
    'horizontal-pod-autoscaler',
    'default-scheduler',
    'fleet',
  ])('%s', async (name) => {
    expect(await dieOnce(name)).toContain(name);
  });
});

test('a cluster whose part dies again and again says so, and is alive no more', async () => {
  const cluster = await createTestCluster({
    components: [() => ({ name: 'hopeless', run: () => Promise.reject(new Error('no use')) })],
  });
  await cluster.advance(120_000);
  expect(await cluster.failed).toMatchObject({
    component: 'hopeless',
    message: 'hopeless died 5 times within ten minutes and is given up: no use',
  });
  const failing = (probe: 'livez' | 'readyz'): readonly string[] =>
    cluster.api.checks(probe).flatMap((check) => (check.failure === undefined ? [] : [check.name]));
  expect([failing('livez'), failing('readyz')]).toEqual([['component/hopeless'], ['component/hopeless']]);
  await cluster.close();
  expect(failing('readyz')).toContain('shutdown');
});

test('a store that cannot write makes the plane neither ready nor live, and says why', async () => {
  const memory = createMemoryBackend();
  let isFull = false;
  const backend: Backend = {
    ...memory,
    write: (batch) => (isFull ? Promise.reject(new Error('no space left on device')) : memory.write(batch)),
  };
  const cluster = await createTestCluster({ backend });
  const failing = (probe: 'livez' | 'readyz'): readonly string[] =>
    cluster.api.checks(probe).flatMap(({ name, failure }) => (failure === undefined ? [] : [`${name}: ${failure}`]));
  await cluster.advance(60_000);
  expect([failing('livez'), failing('readyz')]).toEqual([[], []]);
  isFull = true;
  await cluster.advance(60_000);
  const full = [expect.stringMatching(/^etcd: .*no space left on device/)];
  const unready = [...full, expect.stringMatching(/^etcd-readiness: .*no space left on device/)];
  expect([failing('livez'), failing('readyz')]).toEqual([full, unready]);
  await cluster.close().catch(() => undefined);
});
