/** The driver under the node agent of a whole cluster in virtual time; the process inside is a fake. */
import {
  createClient,
  createNodeAgent,
  events as eventsType,
  type New,
  type Node,
  type Platform,
  type Pod,
  pods,
} from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Images } from '../images/images.ts';
import type { ContainerEnd, ContainerState, Inside, InsideState } from '../protocol/inside.ts';
import { createFakeInside, type FakeInside } from '../testing/fake-inside.ts';
import { testImage, testNode } from '../testing/pods.ts';
import { createAddresses } from './addresses.ts';
import { machineOf } from './machine.ts';
import { createObjects } from './objects.ts';
import { createProcessDriver, driverName, type ProcessDriver } from './process-driver.ts';
import { createTokens } from './tokens.ts';

const { signal } = new AbortController();
const empty: InsideState = { event: 0, pods: [], containers: [], orphans: [], lacks: [] };
const node: New<Node> = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'real',
    annotations: { 'signalbox.dev/driver': driverName },
    labels: { 'kubernetes.io/hostname': 'real' },
  },
  spec: {},
};

let cluster: TestCluster;
let inside: FakeInside;
let driver: ProcessDriver;
let started: ContainerState[];
let refused: string | undefined;
const staticHashes = new Set<string>();

function driverFor(platform: Platform): ProcessDriver {
  const { clock, random, transport } = platform;
  const client = createClient(transport, {
    name: 'system:node:real',
    groups: ['system:nodes', 'system:authenticated'],
  });
  const report = (message: string, error: unknown): void => platform.report({ component: 'node', message, error });
  const images: Images = {
    find: async ({ image }) =>
      refused === undefined
        ? { ok: true, image: { ...testImage, id: `program:///usr/bin/${image}`, cmd: [String(image)] } }
        : { ok: false, reason: 'ImagePullBackOff', message: refused },
  };
  return createProcessDriver({
    clock,
    random,
    objects: createObjects({ client, clock, random: random.fork('objects'), report }),
    tokens: createTokens({ client, clock, random: random.fork('tokens') }),
    images,
    addresses: createAddresses({ podCidr: () => undefined, known: () => Promise.resolve() }),
    node: testNode,
    services: () => [],
    machine: () =>
      machineOf(
        {
          cpus: 2,
          memoryBytes: 2 ** 32,
          diskBytes: 2 ** 32,
          kernel: '6',
          osImage: 'test',
          machineId: 'm',
          bootId: 'b',
          architecture: 'amd64',
          processes: 32_768,
        },
        { address: '10.64.0.1', podsMax: 10, lacks: [], version: '1' },
      ),
    wantsStatic: (hash) => staticHashes.has(hash),
    readLogs: async function* () {},
    report,
  });
}

async function begin(state: InsideState = empty): Promise<void> {
  const platform = { ...cluster.platform, random: cluster.platform.random.fork('node') };
  driver = driverFor(platform);
  driver.insideIs(inside, state);
  const ending = new AbortController();
  endings.push(ending);
  void createNodeAgent(platform, { drivers: [driver], registers: [node] })
    .run({ signal: ending.signal })
    .catch(() => undefined);
  await cluster.advance(1_000);
}

const endings: AbortController[] = [];

beforeEach(async () => {
  refused = undefined;
  started = [];
  inside = createFakeInside();
  const { start } = inside;
  inside = {
    ...inside,
    async start(launch) {
      const state = { ...(await start(launch)), startedMs: cluster.clock.nowMs() };
      started.push(state);
      return state;
    },
  };
  cluster = await createTestCluster({ nodes: 0 });
  await begin();
});
afterEach(async () => {
  for (const ending of endings.splice(0)) ending.abort(new Error('the test is over'));
  await cluster.close();
});

async function run(text: string): Promise<void> {
  await cluster.applyYaml(`
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  nodeName: real
  automountServiceAccountToken: false
${text}`);
  await cluster.advance(1_000);
}

const podOf = (): Promise<Pod> => cluster.client.get(pods, { namespace: 'default', name: 'web', signal });
const states = async (): Promise<readonly string[]> => {
  const { status } = await podOf();
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(
    ({ name, state, ready, restartCount }) =>
      `${name} ${state?.waiting?.reason ?? state?.terminated?.reason ?? 'running'} ${ready} ${restartCount}`,
  );
};
const reasons = async (): Promise<readonly string[]> => {
  const { items } = await cluster.client.list(eventsType, { namespace: 'default', signal });
  return [...new Set(items.map(({ reason }) => reason ?? ''))].sort();
};

async function ends(name: string, end: Partial<ContainerEnd> = {}): Promise<void> {
  const state = started.findLast((each) => each.name === name);
  if (state === undefined) throw new Error(`${name} was never started`);
  driver.ended({ ...state, ended: { endedMs: cluster.clock.nowMs(), exitCode: 0, isOutOfMemory: false, ...end } });
  await cluster.advance(500);
}

const plain = '  containers: [{ name: main, image: app }]';

test('a pod gets its place, then its containers start; the API says what they are', async () => {
  await run(plain);
  const { metadata, status } = await podOf();
  expect(inside.asked).toEqual([`add ${metadata.uid}`, `start main/0 of ${metadata.uid}`]);
  expect(status).toMatchObject({ phase: 'Running', podIP: '10.64.0.2', hostIP: '10.64.0.1' });
  expect(status.containerStatuses?.[0]).toMatchObject({
    ready: true,
    imageID: 'program:///usr/bin/app',
    containerID: 'process://main-0',
  });
});

test('who ends is started again, and what it ended with is told', async () => {
  await run(plain);
  await cluster.advance(30_000);
  await ends('main', { exitCode: 137, isOutOfMemory: true, message: 'too much' });
  const [status] = (await podOf()).status.containerStatuses ?? [];
  expect(status).toMatchObject({ restartCount: 1, ready: true });
  expect(status?.lastState?.terminated).toMatchObject({ reason: 'OOMKilled', exitCode: 137, message: 'too much' });
  await ends('main', { exitCode: 1 });
  expect(await states()).toEqual(['main CrashLoopBackOff false 1']);
  await cluster.advance(11_000);
  expect(await states()).toEqual(['main running true 2']);
});

test('a pod waits for its claim, which its node may read but not watch', async () => {
  await run(`${plain}
  volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]`);
  expect(await states()).toEqual(['main ContainerCreating false 0']);
  await cluster.applyYaml(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }`);
  await cluster.advance(10_000);
  expect(await states()).toEqual(['main running true 0']);
  expect(cluster.problems).toEqual([]);
});

test('what a pod held is given back when it is over, though its object stays', async () => {
  await run(`  restartPolicy: Never\n${plain}`);
  const { uid } = (await podOf()).metadata;
  expect(inside.asked).not.toContain(`empty ${uid}`);
  await ends('main', { exitCode: 1 });
  expect((await podOf()).status.phase).toBe('Failed');
  await cluster.advance(60_000);
  expect(inside.asked.filter((each) => each === `empty ${uid}`)).toHaveLength(1);
  // An agent that comes later does the same, and makes nothing for it anew.
  const before = inside.asked.length;
  await begin();
  await cluster.advance(60_000);
  expect(inside.asked.slice(before)).toEqual([`empty ${uid}`]);
});

test('init containers go before, sidecars stop after the others', async () => {
  await run(`  terminationGracePeriodSeconds: 20
  initContainers:
    - { name: first, image: app }
    - { name: side, image: app, restartPolicy: Always }
  containers: [{ name: main, image: app }]`);
  expect(started.map(({ name }) => name)).toEqual(['first']);
  await ends('first');
  expect(started.map(({ name }) => name)).toEqual(['first', 'side', 'main']);
  await cluster.client.delete(pods, { namespace: 'default', name: 'web', signal });
  await cluster.advance(1_000);
  expect(inside.asked.slice(-1)).toEqual(['SIGTERM to main']);
  await ends('main', { exitCode: 143 });
  await cluster.advance(1_000);
  expect(inside.asked.slice(-1)).toEqual(['SIGTERM to side']);
  await cluster.advance(20_000);
  expect(inside.asked.slice(-1)).toEqual(['SIGKILL to side']);
  const { uid } = (await podOf()).metadata;
  await ends('side', { exitCode: 137 });
  await cluster.advance(1_000);
  await expect(podOf()).rejects.toThrow('not found');
  expect(inside.asked.slice(-1)).toEqual([`remove ${uid}`]);
});

test('what is missing is waited for, and said', async () => {
  await run(`  containers:
    - { name: main, image: app, envFrom: [{ configMapRef: { name: settings } }] }`);
  expect(await states()).toEqual(['main CreateContainerConfigError false 0']);
  expect((await podOf()).status.containerStatuses?.[0]?.state?.waiting?.message).toBe('configmap "settings" not found');
  await cluster.applyYaml('apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { A: b }');
  await cluster.advance(11_000);
  expect(await states()).toEqual(['main running true 0']);
});

test('a program that is not there is looked for again', async () => {
  refused = 'Back-off pulling image "app": ErrImagePull: no app on PATH';
  await run(plain);
  expect(await states()).toEqual(['main ImagePullBackOff false 0']);
  refused = undefined;
  await cluster.advance(11_000);
  expect(await states()).toEqual(['main running true 0']);
});

test('a path of the node that is something else is waited for, and told as a kubelet does', async () => {
  const { writeVolume } = inside;
  let why: string | undefined = 'hostPath type check failed: /run/x is not a socket file';
  const refuses: Inside['writeVolume'] = (uid, volume) =>
    why === undefined ? writeVolume(uid, volume) : Promise.reject(new Error(why));
  driver.insideIs({ ...inside, writeVolume: refuses }, empty);
  await run(`${plain}
  volumes: [{ name: door, hostPath: { path: /run/x, type: Socket } }]`);
  expect(await states()).toEqual(['main ContainerCreating false 0']);
  const { items } = await cluster.client.list(eventsType, { namespace: 'default', signal });
  expect(items.map(({ reason, message }) => `${reason}: ${message}`)).toContain(
    `FailedMount: MountVolume.SetUp failed for volume "door" : ${why}`,
  );
  why = undefined;
  await cluster.advance(5_000);
  expect(await states()).toEqual(['main running true 0']);
});

test('mounted files follow what they are made of', async () => {
  const map = (value: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: files }\ndata: { a: ${value} }`;
  await cluster.applyYaml(map('one'));
  await run(`  containers: [{ name: main, image: app, volumeMounts: [{ name: f, mountPath: /f }] }]
  volumes: [{ name: f, configMap: { name: files } }]`);
  const { uid } = (await podOf()).metadata;
  const writes = (): number => inside.asked.filter((line) => line === `write f of ${uid}`).length;
  expect(writes()).toBe(1);
  await cluster.applyYaml(map('two'));
  await cluster.advance(1_000);
  expect(writes()).toBe(2);
  await cluster.client.patch(pods, {
    namespace: 'default',
    name: 'web',
    patchType: 'merge',
    body: { metadata: { labels: { a: 'b' } } },
    signal,
  });
  await cluster.advance(1_000);
  expect(writes()).toBe(2);
});

test('a probe that fails ends its container, within the grace that it names', async () => {
  inside.answers(() => ({ output: 'sick', exitCode: 1 }));
  await run(`  containers:
    - name: main
      image: app
      livenessProbe: { exec: { command: [check] }, periodSeconds: 1, failureThreshold: 2, terminationGracePeriodSeconds: 5 }
      readinessProbe: { exec: { command: [check] } }`);
  await cluster.advance(4_000);
  expect(inside.asked).toContain('SIGTERM to main');
  expect(await states()).toEqual(['main running false 0']);
  await cluster.advance(5_000);
  expect(inside.asked).toContain('SIGKILL to main');
  await ends('main', { exitCode: 137 });
  expect(await reasons()).toEqual(expect.arrayContaining(['Killing', 'Started', 'Unhealthy']));
});

test('an agent that begins anew goes on with what runs, and ends what nobody names any more', async () => {
  await run(plain);
  const { uid } = (await podOf()).metadata;
  for (const ending of endings.splice(0)) ending.abort(new Error('killed'));
  const place = {
    uid,
    namespace: 'default',
    name: 'web',
    address: '10.64.0.2',
    hostname: 'web',
    hosts: [],
    resolver: [],
    sharesProcesses: false,
    processesMax: undefined,
    hostPorts: [],
  };
  await begin({ ...empty, pods: [place, { ...place, uid: 'gone' }], containers: [...started], orphans: ['older'] });
  await cluster.advance(5_000);
  expect(await states()).toEqual(['main running true 0']);
  expect(started).toHaveLength(1);
  expect(driver.unclaimed()).toEqual(['gone', 'older']);
});

test('when the process inside is gone all that ran has ended, and starts again in the next', async () => {
  await run(plain);
  await cluster.advance(60_000);
  driver.insideIsLost();
  await cluster.advance(100);
  driver.insideIs(inside, empty);
  await cluster.advance(15_000);
  expect(await states()).toEqual(['main running true 1']);
  expect(inside.asked.filter((line) => line.startsWith('add'))).toHaveLength(2);
});

test.each([
  { restartPolicy: 'Never', phase: 'Failed', again: [] },
  { restartPolicy: 'OnFailure', phase: 'Running', again: ['first', 'main'] },
])(
  'when the process inside is gone, only who is to run on begins with its init containers: $restartPolicy',
  async (of) => {
    await run(`  restartPolicy: ${of.restartPolicy}
  initContainers: [{ name: first, image: app }]
  containers: [{ name: main, image: app }, { name: other, image: app }]`);
    await ends('first');
    await ends('other');
    const before = started.length;
    driver.insideIsLost();
    driver.insideIs(inside, empty);
    await cluster.advance(5_000);
    const again = (): readonly string[] => started.slice(before).map(({ name }) => name);
    if (of.again.length > 0) {
      expect(again()).toEqual(['first']);
      await ends('first');
      await cluster.advance(30_000);
    }
    expect(again()).toEqual(of.again);
    expect((await podOf()).status.phase).toBe(of.phase);
  },
);

test('what ended with the node is told as it ended, and what nobody names any more is cleared', async () => {
  await run(plain);
  for (const ending of endings.splice(0)) ending.abort(new Error('ended'));
  const endedMs = cluster.clock.nowMs();
  await cluster.advance(60_000);
  const ended = { endedMs, exitCode: 3, isOutOfMemory: false };
  const containers = started.map((state) => ({ ...state, ended }));
  await begin({ ...empty, containers: [...containers, ...containers.map((state) => ({ ...state, pod: 'gone' }))] });
  await cluster.advance(1_000);
  expect(await states()).toEqual(['main running true 1']);
  expect((await podOf()).status.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
    ...{ exitCode: 3, reason: 'Error', finishedAt: new Date(endedMs).toISOString().replace(/\.\d+Z/, 'Z') },
  });
  expect(driver.unclaimed()).toEqual(['gone']);
});

test('who ran under an earlier agent and does not any more is not ready while it is being started again', async () => {
  await run(plain);
  expect(await states()).toEqual(['main running true 0']);
  for (const ending of endings.splice(0)) ending.abort(new Error('killed'));
  let goOn = (): void => undefined;
  const made = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const { start } = inside;
  inside = { ...inside, start: (launch) => made.then(() => start(launch)) };
  await begin();
  await cluster.advance(1_000);
  expect(await states()).toEqual(['main ContainerCreating false 0']);
  const { phase, containerStatuses: [status] = [] } = (await podOf()).status;
  expect({ phase, reason: status?.lastState?.terminated?.reason }).toEqual({
    phase: 'Running',
    reason: 'ContainerStatusUnknown',
  });
  goOn();
  await cluster.advance(1_000);
  expect(await states()).toEqual(['main running true 1']);
});

test('tokens are asked for by the pod, and again before they are old', async () => {
  await cluster.advance(5_000);
  await run(`  serviceAccountName: default
  containers: [{ name: main, image: app, volumeMounts: [{ name: t, mountPath: /t }] }]
  volumes: [{ name: t, projected: { sources: [{ serviceAccountToken: { path: token, expirationSeconds: 600 } }] } }]`);
  const { uid } = (await podOf()).metadata;
  const writes = (): number => inside.asked.filter((line) => line === `write t of ${uid}`).length;
  // Keys are made and tokens signed by threads, which no clock waits for.
  const written = (count: number): Promise<void> =>
    vi.waitFor(async () => {
      await cluster.advance(100);
      expect(writes()).toBe(count);
    });
  await written(1);
  await cluster.advance(400_000);
  expect(writes()).toBe(1);
  await cluster.advance(100_000);
  await written(2);
});

test('who deletes the mirror of a static pod ends nothing; without its manifest it ends', async () => {
  staticHashes.add('h1');
  const mirror = `
apiVersion: v1
kind: Pod
metadata: { name: web, annotations: { kubernetes.io/config.mirror: h1 } }
spec: { nodeName: real, terminationGracePeriodSeconds: 5, containers: [{ name: main, image: app }] }`;
  await cluster.applyYaml(mirror);
  await cluster.advance(1_000);
  expect(inside.asked).toEqual(['add h1', 'start main/0 of h1']);
  await cluster.client.delete(pods, { namespace: 'default', name: 'web', signal });
  await cluster.advance(1_000);
  await expect(podOf()).rejects.toThrow('not found');
  await cluster.applyYaml(mirror);
  await cluster.advance(1_000);
  expect(await states()).toEqual(['main running true 0']);
  expect(inside.asked).toHaveLength(2);
  staticHashes.clear();
  await cluster.client.delete(pods, { namespace: 'default', name: 'web', signal });
  await cluster.advance(1_000);
  expect(inside.asked.at(-1)).toBe('SIGTERM to main');
  await ends('main', { exitCode: 143 });
  await cluster.advance(1_000);
  expect(inside.asked.at(-1)).toBe('remove h1');
});

test('a pod that goes while its place is being made leaves none', async () => {
  const asked: string[] = [];
  let go = (): void => undefined;
  const made = new Promise<void>((resolve) => {
    go = resolve;
  });
  const slow: Inside = {
    ...inside,
    async addPod() {
      asked.push('asked to be added');
      await made;
      asked.push('added');
    },
    removePod: async () => void asked.push('removed'),
  };
  driver.insideIs(slow, empty);
  await run('  containers: [{ name: app, image: shell }]');
  await cluster.client.delete(pods, { namespace: 'default', name: 'web', gracePeriodSeconds: 0, signal });
  await cluster.advance(1_000);
  expect(asked).toEqual(['asked to be added']);
  go();
  await cluster.advance(1_000);
  expect(asked).toEqual(['asked to be added', 'added', 'removed']);
});

test('a pod whose time is up while its container is being started has failed, and nothing of it runs', async () => {
  let go = (): void => undefined;
  const made = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { start } = inside;
  driver.insideIs({ ...inside, start: (launch) => made.then(() => start(launch)) }, empty);
  await run('  activeDeadlineSeconds: 2\n  containers: [{ name: main, image: shell }]');
  await cluster.advance(3_000);
  expect((await podOf()).status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  go();
  await cluster.advance(1_000);
  expect(inside.asked.slice(-2)).toEqual([expect.stringMatching(/^start main/), 'SIGKILL to main']);
});
