/** Pods on simulated nodes that name ConfigMaps and Secrets which are not there, through the API. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configmaps, events, pods } from '../api/generated/kinds.ts';
import { createTestCluster, type TestCluster } from '../testing/test-cluster.ts';

let cluster: TestCluster;

beforeEach(async () => {
  cluster = await createTestCluster({ nodes: 1 });
  await cluster.advance(1_000);
});

afterEach(async () => {
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

const podOf = (spec: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: app }
spec:
${spec}
---
`;
const mounting = podOf(`
  containers: [{ name: main, image: "example/app:1" }]
  volumes: [{ name: settings, configMap: { name: settings } }]`);
const reading = podOf(`
  containers:
    - { name: beside, image: "example/beside:1" }
    - name: main
      image: "example/app:1"
      env: [{ name: LEVEL, valueFrom: { configMapKeyRef: { name: settings, key: level } } }]`);
const settings = (data: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { ${data} }
`;

async function told(): Promise<readonly string[]> {
  const list = await cluster.client.list(events, { namespace: 'default' });
  return list.items
    .filter(({ involvedObject, source }) => involvedObject.name === 'app' && source?.component === 'kubelet')
    .map(({ type, reason, message, count }) => `${type} ${reason} ${count}: ${message}`);
}

/** `Pending main=ContainerCreating`, and what is said to it. */
async function state(): Promise<string> {
  const { status } = await cluster.client.get(pods, { namespace: 'default', name: 'app' });
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const words = containers.map(({ name, state: now }) => {
    const { reason, message } = now?.waiting ?? {};
    return `${name}=${reason ?? Object.keys(now ?? {})[0]}${message === undefined ? '' : ` (${message})`}`;
  });
  return [status.phase, ...words].join(' ');
}

test('a pod whose volume is made of a ConfigMap that is missing is not begun, says so, and heals', async () => {
  await cluster.applyYaml(mounting);
  await cluster.advance(10_000);
  expect(await state()).toBe('Pending main=ContainerCreating');
  const { status } = await cluster.client.get(pods, { namespace: 'default', name: 'app' });
  expect(status.conditions?.find(({ type }) => type === 'PodReadyToStartContainers')?.status).toBe('False');
  expect(await told()).toEqual([
    'Warning FailedMount 1: MountVolume.SetUp failed for volume "settings" : configmap "settings" not found',
  ]);
  await cluster.applyYaml(settings('level: low'));
  await cluster.advance(6_000);
  expect(await state()).toBe('Running main=running');
});

test('what comes together with its pod is not missed', async () => {
  await cluster.applyYaml(mounting + settings('level: low'));
  await cluster.advance(1_000);
  expect(await state()).toBe('Running main=running');
  expect((await told()).filter((line) => line.startsWith('Warning'))).toEqual([]);
});

test('a container whose environment names what is missing waits while the others run, and heals', async () => {
  await cluster.applyYaml(reading);
  await cluster.advance(3_000);
  expect(await state()).toBe('Pending beside=running main=CreateContainerConfigError (configmap "settings" not found)');
  const missing = [
    'Normal Pulled 1: Container image "example/app:1" already present on machine',
    'Warning Failed 1: Error: configmap "settings" not found',
  ];
  expect((await told()).filter((line) => !line.includes('beside'))).toEqual(missing);
  await cluster.applyYaml(settings('other: low'));
  await cluster.advance(11_000);
  expect(await state()).toBe(
    `Pending beside=running main=CreateContainerConfigError (couldn't find key level in ConfigMap default/settings)`,
  );
  expect(await told()).toContain(`Warning Failed 1: Error: couldn't find key level in ConfigMap default/settings`);
  await cluster.applyYaml(settings('level: low'));
  await cluster.advance(11_000);
  expect(await state()).toBe('Running beside=running main=running');
});

test('what comes while the pod is being made is not missed by its environment', async () => {
  await cluster.applyYaml(reading + settings('level: low'));
  await cluster.advance(1_000);
  expect(await state()).toBe('Running beside=running main=running');
  expect((await told()).filter((line) => line.startsWith('Warning'))).toEqual([]);
});

test('an init container that waits so keeps the others back', async () => {
  await cluster.applyYaml(
    podOf(`
  initContainers: [{ name: first, image: "example/init:1", envFrom: [{ secretRef: { name: door } }] }]
  containers: [{ name: main, image: "example/app:1" }]`),
  );
  await cluster.advance(3_000);
  expect(await state()).toBe('Pending first=CreateContainerConfigError (secret "door" not found) main=PodInitializing');
  expect(await told()).toEqual([
    'Normal Pulled 1: Container image "example/init:1" already present on machine',
    'Warning Failed 1: Error: secret "door" not found',
  ]);
  await cluster.applyYaml('{ apiVersion: v1, kind: Secret, metadata: { name: door } }');
  await cluster.advance(11_000);
  expect(await state()).toBe('Running first=terminated main=running');
});

test('what runs goes on without its ConfigMap, and is not started again without it', async () => {
  const crashing = reading.replace(
    'name: app }',
    'name: app, annotations: { signalbox.dev/exit-after: 60s, signalbox.dev/exit-code: "1" } }',
  );
  await cluster.applyYaml(`${crashing}${settings('level: low')}`);
  await cluster.advance(5_000);
  await cluster.client.delete(configmaps, { namespace: 'default', name: 'settings' });
  await cluster.advance(30_000);
  expect(await state()).toBe('Running beside=running main=running');
  await cluster.advance(40_000);
  expect(await state()).toBe('Running beside=running main=CreateContainerConfigError (configmap "settings" not found)');
  const { status } = await cluster.client.get(pods, { namespace: 'default', name: 'app' });
  expect(status.containerStatuses?.[1]?.lastState?.terminated?.exitCode).toBe(1);
});

test('a pod that waits for its volume goes when it is deleted', async () => {
  await cluster.applyYaml(mounting);
  await cluster.advance(10_000);
  await cluster.client.delete(pods, { namespace: 'default', name: 'app' });
  await cluster.advance(1_000);
  expect((await cluster.client.list(pods, { namespace: 'default' })).items).toEqual([]);
});

test('a secret for pulling images that is missing is told of once, and not waited for', async () => {
  await cluster.applyYaml(
    podOf(`
  imagePullSecrets: [{ name: registry }, { name: other }]
  containers: [{ name: main, image: "example/app:1" }]`),
  );
  await cluster.advance(100_000);
  expect(await state()).toBe('Running main=running');
  expect(await told()).toEqual([
    'Warning FailedToRetrieveImagePullSecret 1: Unable to retrieve some image pull secrets (registry, other); attempting to pull the image may not succeed.',
    'Normal Pulled 1: Container image "example/app:1" already present on machine',
    'Normal Created 1: Created container: main',
    'Normal Started 1: Started container main',
  ]);
});
