/** A pod's life on a simulated machine: the agent's decisions over what this driver shows. */
import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../../api/generated/core-v1.ts';
import { seededRandom } from '../../../base/random.ts';
import { makePod, type PodParts } from '../../../testing/makers.ts';
import { createVirtualClock } from '../../../testing/virtual-clock.ts';
import type { PodPlan } from '../../pod-plan.ts';
import { tend } from '../../tend.ts';
import { createSimulatedDriver } from './driver.ts';

const startMs = 1_767_225_600_000;
const hostIp = '172.16.0.1';

interface Told {
  /** `report Running ready`: what is told about the pod, and when to look again. */
  readonly line: string;
  readonly pod: Pod;
}

interface Machine {
  /** Looks at the pod at that moment and takes what is reported into it. */
  look(atMs: number, change?: (pod: Pod) => Pod): Told;
}

function begin(first: Pod, { startDelayMs = 500 }: { readonly startDelayMs?: number } = {}): Machine {
  let nowMs = startMs;
  const clock = { ...createVirtualClock(), nowMs: () => nowMs };
  const driver = createSimulatedDriver(
    { clock, random: seededRandom('machine') },
    { startDelayMs: { least: startDelayMs, most: startDelayMs } },
  );
  driver.adopt(first);
  let pod = first;
  let stoppingMs: number | undefined;
  return {
    look(atMs, change = (same) => same) {
      nowMs = startMs + atMs;
      pod = change(pod);
      if (pod.metadata.deletionTimestamp !== undefined) stoppingMs ??= nowMs;
      const plan = tend(pod, { driver, hostIp, stoppingMs, nowMs });
      if (plan.action?.do === 'report') pod = { ...pod, status: plan.action.status };
      return { line: line(plan), pod };
    },
  };
}

function line({ action, againMs }: PodPlan): string {
  const again = againMs === undefined ? '' : ` again +${againMs - startMs}`;
  if (action?.do !== 'report') return (action?.do ?? 'nothing') + again;
  const { phase, containerStatuses = [] } = action.status;
  const ready = conditionOf(action.status, 'Ready') === 'True' ? 'ready' : 'unready';
  const waiting = containerStatuses[0]?.state?.waiting?.reason;
  return `report ${phase} ${ready}${waiting === undefined ? '' : ` ${waiting}`}${again}`;
}

function conditionOf({ conditions = [] }: PodStatus, asked: string): string | undefined {
  return conditions.find(({ type }) => type === asked)?.status;
}

const annotated = (annotations: Readonly<Record<string, string>>, parts: PodParts = {}): Pod =>
  makePod('p', { node: 'a', ...parts, metadata: { annotations, ...parts.metadata } });
const plain = makePod('p', { node: 'a' });
const withContainer = (container: object): Pod =>
  makePod('p', { node: 'a', spec: { containers: [{ name: 'main', ...container }] } });
const never = { spec: { restartPolicy: 'Never' } };
const exiting = { 'signalbox.dev/exit-after': '2s' };
const failing = { ...exiting, 'signalbox.dev/exit-code': '1' };

test.each<[string, Pod, readonly (readonly [number, string])[]]>([
  [
    'a pod waits before its time, runs and is ready, and nothing is left to do',
    plain,
    [
      [0, 'nothing again +500'],
      [500, 'report Running ready'],
      [10_000, 'nothing'],
    ],
  ],
  [
    'a probe that begins late makes it ready late',
    withContainer({ readinessProbe: { initialDelaySeconds: 7 } }),
    [[500, 'report Running unready again +7500']],
  ],
  [
    'ready after what the annotation says',
    annotated({ 'signalbox.dev/ready-after': '3s' }),
    [
      [500, 'report Running unready again +3500'],
      [3_500, 'report Running ready'],
    ],
  ],
  [
    'never ready if the annotation says so',
    annotated({ 'signalbox.dev/ready-after': 'never' }),
    [[500, 'report Running unready']],
  ],
  [
    'an image of a host that cannot exist is never pulled',
    withContainer({ image: 'registry.invalid/x:1' }),
    [
      [500, 'report Pending unready ImagePullBackOff'],
      [9_000, 'nothing'],
    ],
  ],
  [
    'a container that ends is started again, and runs as long as the first time',
    annotated({ ...exiting, 'signalbox.dev/exit-code': '3' }),
    [
      [500, 'report Running ready again +2500'],
      [2_500, 'report Running ready again +4500'],
      [4_500, 'report Running unready CrashLoopBackOff again +14000'],
      [5_000, 'nothing again +14000'],
      [14_000, 'report Running ready again +16000'],
      [16_000, 'report Running unready CrashLoopBackOff again +36000'],
    ],
  ],
  [
    'unless its pod is not to restart it',
    annotated(exiting, never),
    [
      [500, 'report Running ready again +2500'],
      [2_500, 'report Succeeded unready'],
      [9_000, 'nothing'],
    ],
  ],
  [
    'with a failure it fails',
    annotated(failing, never),
    [
      [500, 'report Running ready again +2500'],
      [2_500, 'report Failed unready'],
    ],
  ],
  ['an ended pod is left alone', makePod('p', { status: { phase: 'Succeeded' } }), [[9_000, 'nothing']]],
])('%s', (_, pod, story) => {
  const { look } = begin(pod);
  expect(story.map(([atMs]) => [atMs, look(atMs).line])).toEqual(story);
});

test('slow containers are reported as being created', () => {
  const { look } = begin(plain, { startDelayMs: 5_000 });
  expect(look(0).line).toBe('report Pending unready ContainerCreating again +5000');
  expect(look(1).line).toBe('nothing again +5000');
  expect(look(5_000).line).toBe('report Running ready');
});

const stopping = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:40Z', deletionGracePeriodSeconds: 30 },
});

test('a pod that never ran goes at once', () => {
  expect(begin(plain).look(0, stopping).line).toBe('remove');
});

test('a running one gets time to stop and is gone when it has stopped', () => {
  const { look } = begin(plain);
  look(500);
  expect(look(10_000, stopping).line).toBe('nothing again +10100');
  expect(look(10_100).line).toBe('remove');
});

test.each([
  ['a signal that asks it to', {}, 143, 'Failed'],
  ['one that it cannot refuse', { 'signalbox.dev/stop-after': '10m' }, 137, 'Failed'],
  ['its own will, where that is said', { 'signalbox.dev/exit-code': '0' }, 0, 'Succeeded'],
])('who is held up while it goes tells that it ended by %s', (_, annotations, exitCode, phase) => {
  const { look } = begin(annotated({ ...annotations, 'signalbox.dev/exit-after': 'never' }));
  look(0);
  look(500);
  const held = (pod: Pod): Pod => {
    const { metadata, ...rest } = stopping(pod);
    return { ...rest, metadata: { ...metadata, finalizers: ['example.com/keep'] } };
  };
  look(10_000, held);
  const { line: told, pod } = look(40_000);
  expect(told).toBe(`report ${phase} unready`);
  const { containerID, state } = pod.status.containerStatuses?.[0] ?? {};
  expect(state?.terminated).toMatchObject({ exitCode, containerID });
  expect(containerID).toMatch(/^simulated:\/\//);
  expect(look(40_001).line).toBe('remove');
});

test('who will not stop is stopped at the end of the grace period', () => {
  const { look } = begin(annotated({ 'signalbox.dev/stop-after': '10m' }));
  look(500);
  expect(look(10_000, stopping).line).toBe('nothing again +40000');
  const hurried = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds: 1 } });
  expect(look(10_500, hurried).line).toBe('nothing again +11000');
  expect(look(11_000).line).toBe('remove');
});

test('a restart counts, and the container starts anew', () => {
  const { look } = begin(annotated(failing));
  look(500);
  const [first] = look(2_500).pod.status.containerStatuses ?? [];
  expect(first).toMatchObject({ restartCount: 1, state: { running: { startedAt: '2026-01-01T00:00:02Z' } } });
  expect(first?.lastState?.terminated).toMatchObject({ exitCode: 1, finishedAt: '2026-01-01T00:00:02Z' });
  look(4_500);
  const [status] = look(14_500).pod.status.containerStatuses ?? [];
  expect(status?.restartCount).toBe(2);
  expect(status?.state?.running?.startedAt).toBe('2026-01-01T00:00:14Z');
  expect(status?.lastState?.terminated).toMatchObject({ exitCode: 1, finishedAt: '2026-01-01T00:00:04Z' });
});

test('a status names addresses, images and the moment of each change', () => {
  const { status } = begin(plain).look(500).pod;
  expect(status.podIPs).toEqual([{ ip: '10.128.0.1' }]);
  expect(status.hostIP).toBe(hostIp);
  expect(status.startTime).toBe('2026-01-01T00:00:00Z');
  expect(status.containerStatuses?.[0]?.imageID).toMatch(/^example\/main@sha256:[0-9a-f]{64}$/);
  expect(status.conditions?.map(({ type, status: value }) => `${type}=${value}`)).toEqual([
    'PodReadyToStartContainers=True',
    'Initialized=True',
    'Ready=True',
    'ContainersReady=True',
    'PodScheduled=True',
  ]);
});

test('a readiness gate keeps the pod unready though its containers are ready', () => {
  const gated = makePod('p', { spec: { readinessGates: [{ conditionType: 'example.com/lb' }] } });
  const { status } = begin(gated).look(500).pod;
  expect(status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
    status: 'False',
    reason: 'ReadinessGatesNotReady',
  });
  expect(conditionOf(status, 'ContainersReady')).toBe('True');
});

test('readiness that somebody took away while the node was silent comes back', () => {
  const { look } = begin(plain);
  look(500);
  const lost = (pod: Pod): Pod => ({
    ...pod,
    status: {
      ...pod.status,
      conditions: (pod.status.conditions ?? []).map((each) =>
        each.type === 'Ready' ? { ...each, status: 'False' } : each,
      ),
    },
  });
  expect(look(60_000, lost).line).toBe('report Running ready');
});

test('each container has its own probes and its own image', () => {
  const pod = makePod('p', {
    node: 'a',
    spec: {
      initContainers: [{ name: 'init' }, { name: 'side', restartPolicy: 'Always' }],
      containers: [
        { name: 'soon' },
        { name: 'late', startupProbe: { initialDelaySeconds: 7 } },
        { name: 'bad', image: 'registry.invalid/x:1' },
      ],
    },
  });
  const { look } = begin(pod);
  const states = ({ status }: Pod): readonly string[] =>
    [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(
      ({ name, ready, state = {} }) =>
        `${name} ${state.waiting?.reason ?? Object.keys(state)[0]}${ready ? ' ready' : ''}`,
    );
  expect(look(0).line).toBe('nothing again +500');
  expect(states(look(500).pod)).toEqual([
    'init terminated ready',
    'side running ready',
    'soon running ready',
    'late running',
    'bad ImagePullBackOff',
  ]);
  const mended = (before: Pod): Pod => ({
    ...before,
    spec: { ...before.spec, containers: before.spec.containers.map((each) => ({ ...each, image: 'example/x:1' })) },
  });
  expect(look(7_500, mended).line).toBe('report Running ready');
});

test('a pod that ran before the plane began goes on where the API says it was', () => {
  const before = begin(annotated({ 'signalbox.dev/exit-after': '1m' }));
  before.look(500);
  const { pod } = before.look(1_000);
  expect(begin(pod).look(30_000).line).toBe('nothing again +60000');
  const ended = begin(annotated(failing));
  ended.look(500);
  ended.look(2_500);
  const crashed = ended.look(4_500).pod;
  expect(begin(crashed).look(6_000).line).toBe('nothing again +14000');
});
