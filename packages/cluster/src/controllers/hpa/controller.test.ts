import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HorizontalPodAutoscaler } from '../../api/generated/autoscaling-v2.ts';
import { deployments, events, horizontalpodautoscalers, pods } from '../../api/generated/kinds.ts';
import { resourceType } from '../../api/gvk.ts';
import { createTestCluster, type TestCluster } from '../../testing/test-cluster.ts';
import { typeOfTarget } from './controller.ts';

const { signal } = new AbortController();
const things = resourceType({
  group: 'example.com',
  version: 'v1',
  resource: 'things',
  kind: 'Thing',
  namespaced: true,
});
let cluster: TestCluster;

beforeEach(async () => {
  cluster = await createTestCluster({
    nodes: 1,
  });
});

afterEach(async () => {
  await cluster.close();
});

const deployment = (used: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata:
      labels: { app: web }
      annotations: { signalbox.dev/cpu-usage: ${used} }
    spec:
      containers: [{ name: app, image: "example/app:1", resources: { requests: { cpu: 100m } } }]
`;

const hpa = (target: string): string => `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web }
spec:
  scaleTargetRef: ${target}
  minReplicas: 1
  maxReplicas: 5
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 50 } } }]
`;

const read = (): Promise<HorizontalPodAutoscaler> =>
  cluster.during(cluster.client.get(horizontalpodautoscalers, { namespace: 'default', name: 'web', signal }));

async function replicas(): Promise<number | undefined> {
  return (await cluster.during(cluster.client.get(deployments, { namespace: 'default', name: 'web', signal }))).spec
    .replicas;
}

async function use(milli: string): Promise<void> {
  const { items } = await cluster.during(cluster.client.list(pods, { namespace: 'default', signal }));
  for (const { metadata } of items)
    await cluster.during(
      cluster.client.patch(pods, {
        namespace: 'default',
        name: metadata.name,
        signal,
        patchType: 'merge',
        body: { metadata: { annotations: { 'signalbox.dev/cpu-usage': milli } } },
      }),
    );
}

describe('a Deployment', () => {
  test('grows under load at the next sync and shrinks five minutes after the load is gone', async () => {
    await cluster.applyYaml(`${deployment('50m')}---${hpa('{ apiVersion: apps/v1, kind: Deployment, name: web }')}`);
    await cluster.advance(60_000);
    expect(await replicas()).toBe(2);
    expect((await read()).status.currentMetrics?.[0]?.resource?.current.averageUtilization).toBe(50);
    await use('100m');
    await cluster.advance(16_000);
    expect(await replicas()).toBe(4);
    await use('10m');
    await cluster.advance(280_000);
    expect(await replicas()).toBe(4);
    await cluster.advance(60_000);
    expect(await replicas()).toBeLessThan(4);
    const told = await cluster.during(cluster.client.list(events, { namespace: 'default', signal }));
    const rescales = told.items.filter(({ reason }) => reason === 'SuccessfulRescale');
    expect(rescales.map(({ message }) => message)).toContain(
      'New size: 4; reason: cpu resource utilization (percentage of request) above target',
    );
    expect(rescales[0]?.source).toEqual({ component: 'horizontal-pod-autoscaler' });
    expect(cluster.problems).toEqual([]);
  });

  test('a quiet autoscaler writes nothing', async () => {
    await cluster.applyYaml(`${deployment('50m')}---${hpa('{ apiVersion: apps/v1, kind: Deployment, name: web }')}`);
    await cluster.advance(120_000);
    const { metadata } = await read();
    await cluster.advance(600_000);
    expect((await read()).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test('a changed spec is looked at at once', async () => {
    await cluster.applyYaml(`${deployment('50m')}---${hpa('{ apiVersion: apps/v1, kind: Deployment, name: web }')}`);
    await cluster.advance(61_000);
    await cluster.during(
      cluster.client.patch(horizontalpodautoscalers, {
        namespace: 'default',
        name: 'web',
        signal,
        patchType: 'merge',
        body: { spec: { minReplicas: 3 } },
      }),
    );
    await cluster.advance(1);
    expect(await replicas()).toBe(3);
    expect((await read()).status.desiredReplicas).toBe(3);
  });
});

test('a custom resource is scaled through its own path, whatever the count means', async () => {
  await cluster.applyYaml(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.example.com }
spec:
  group: example.com
  names: { plural: things, kind: Thing }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
      subresources:
        scale: { specReplicasPath: .spec.shards, statusReplicasPath: .status.shards, labelSelectorPath: .status.selector }
`);
  await cluster.advance(1_000);
  await cluster.applyYaml(`
apiVersion: example.com/v1
kind: Thing
metadata: { name: agent }
spec: { shards: 1 }
status: { shards: 1, selector: "app=agent" }
---
apiVersion: v1
kind: Pod
metadata: { name: agent, labels: { app: agent }, annotations: { signalbox.dev/cpu-usage: 90m } }
spec: { containers: [{ name: app, image: "example/app:1", resources: { requests: { cpu: 100m } } }] }
---${hpa('{ apiVersion: example.com/v1, kind: Thing, name: agent }')}`);
  await cluster.advance(60_000);
  const thing = await cluster.during(cluster.client.get(things, { namespace: 'default', name: 'agent', signal }));
  expect((thing as unknown as { spec: object }).spec).toEqual({ shards: 2 });
  expect(cluster.problems).toEqual([]);
});

test('a target that is not there is told, and found once it is', async () => {
  await cluster.applyYaml(hpa('{ apiVersion: apps/v1, kind: Deployment, name: web }'));
  await cluster.advance(1_000);
  expect((await read()).status.conditions?.[0]).toMatchObject({
    reason: 'FailedGetScale',
    message: 'the HPA controller was unable to get the target\'s current scale: deployments.apps "web" not found',
  });
  await cluster.applyYaml(deployment('50m'));
  await cluster.advance(60_000);
  expect((await read()).status.conditions?.[0]).toMatchObject({ status: 'True', reason: 'ReadyForNewScale' });
});

test('the version that is named is preferred; another one will do', () => {
  const other = resourceType({
    group: 'apps',
    version: 'v2',
    resource: 'deployments',
    kind: 'Deployment',
    namespaced: true,
  });
  const reference = (apiVersion: string): HorizontalPodAutoscaler =>
    ({ spec: { scaleTargetRef: { apiVersion, kind: 'Deployment', name: 'x' } } }) as HorizontalPodAutoscaler;
  expect(typeOfTarget(reference('apps/v2'), [deployments, other])).toBe(other);
  expect(typeOfTarget(reference('apps/v9'), [deployments, other])).toBe(deployments);
  expect(typeOfTarget(reference('v1'), [deployments, other])).toBeUndefined();
});
