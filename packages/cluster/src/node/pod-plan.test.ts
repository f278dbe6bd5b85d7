import { expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { toTimestamp } from '../base/clock.ts';
import { makePod } from '../testing/makers.ts';
import type { ContainerSeen, PodSeen } from './driver.ts';
import { type PodPlan, planPod } from './pod-plan.ts';

const nowMs = 1_767_225_700_000;
const runs = (parts: Partial<Extract<ContainerSeen, { readonly is: 'running' }>> = {}): ContainerSeen => ({
  is: 'running',
  id: 'test://1',
  imageId: 'i',
  restartCount: 0,
  startedMs: nowMs - 5_000,
  ready: true,
  ...parts,
});
const startedAt = { imageId: 'i', restartCount: 0, startedMs: nowMs - 9_000 };
const ended = (exitCode: number, endedMs = nowMs, restartCount = 0): ContainerSeen => ({
  is: 'ended',
  imageId: 'i',
  restartCount,
  startedMs: endedMs - 5_000,
  endedMs,
  exitCode,
});
const unpulled: ContainerSeen = {
  is: 'waiting',
  reason: 'ImagePullBackOff',
  event: { reason: 'Failed', note: 'no such image' },
};
const creating: ContainerSeen = { is: 'waiting', reason: 'ContainerCreating' };

function plan(pod: Pod, containers: Readonly<Record<string, ContainerSeen>>, parts: Partial<PodSeen> = {}): PodPlan {
  const seen = { podIp: '10.0.0.1', containers: new Map(Object.entries(containers)), ...parts };
  return planPod({ pod, seen, hostIp: '172.16.0.1', stoppingMs: nowMs - 1_000 }, nowMs);
}

/** `report Running a=running b=CrashLoopBackOff`, and in how long to look again. */
function line({ action, againMs }: PodPlan): string {
  const again = againMs === undefined ? '' : ` again +${againMs - nowMs}`;
  switch (action?.do) {
    case undefined:
      return `nothing${again}`;
    case 'start':
      return `start ${action.containers.map(({ name, restartCount }) => `${name}/${restartCount}`).join(' ')}${again}`;
    case 'stop':
      return `stop within ${action.terms.graceMs}${again}`;
    case 'remove':
      return 'remove';
    case 'report': {
      const { phase, containerStatuses = [], conditions = [] } = action.status;
      const states = containerStatuses.map(
        ({ name, state }) => `${name}=${state?.waiting?.reason ?? Object.keys(state ?? {})[0]}`,
      );
      const ready = conditions.find(({ type }) => type === 'Ready')?.message ?? '';
      const events = action.events.map(({ reason }) => reason);
      return [`report ${phase}`, ...states, ready, ...events].filter((part) => part !== '').join(' ') + again;
    }
    default:
      return action satisfies never;
  }
}

const two = (spec: object = {}): Pod =>
  makePod('p', { node: 'n', spec: { containers: [{ name: 'a' }, { name: 'b' }], ...spec } });
const init = { initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }] };
const never = { restartPolicy: 'Never' };

test.each<[string, PodPlan, string]>([
  ['what nobody has started is started', plan(two(), {}), 'start a/0 b/0'],
  [
    'what is only being created is not worth a word',
    plan(two(), { a: creating, b: creating }, { changesMs: nowMs + 500 }),
    'nothing again +500',
  ],
  [
    'unless it takes long',
    plan(two(), { a: creating, b: creating }, { changesMs: nowMs + 5_000 }),
    'report Pending a=ContainerCreating b=ContainerCreating containers with unready status: [a b] again +5000',
  ],
  [
    'containers of one pod may differ: one runs, the other cannot be pulled',
    plan(two(), { a: runs(), b: unpulled }),
    'report Pending a=running b=ImagePullBackOff containers with unready status: [b] Pulled Created Started Pulling Failed Failed BackOff Failed',
  ],
  [
    'one that ended waits for its next start while the other runs on',
    plan(two(), { a: runs(), b: ended(1, nowMs, 1) }),
    'report Running a=running b=CrashLoopBackOff containers with unready status: [b] Pulled Created Started again +10000',
  ],
  [
    'and is started alone when its time has come',
    plan(two(), { a: runs(), b: ended(1, nowMs - 10_000, 1) }),
    'start b/2',
  ],
  ['the first time it is started at once', plan(two(), { a: runs(), b: ended(1) }), 'start b/1'],
  [
    'and after a long run',
    plan(two(), { a: runs(), b: { ...ended(1, nowMs, 7), startedMs: nowMs - 600_000 } as ContainerSeen }),
    'start b/8',
  ],
  [
    'the driver may know of a long run between',
    plan(two(), { a: runs(), b: { ...ended(1, nowMs, 7), quickEnds: 1 } as ContainerSeen }),
    'report Running a=running b=CrashLoopBackOff containers with unready status: [b] Pulled Created Started again +10000',
  ],
  [
    'ever later',
    plan(two(), { a: runs(), b: ended(1, nowMs, 3) }),
    'report Running a=running b=CrashLoopBackOff containers with unready status: [b] Pulled Created Started again +40000',
  ],
  [
    'a pod goes on while one of its containers does',
    plan(two(never), { a: runs(), b: ended(1) }),
    'report Running a=running b=terminated containers with unready status: [b] Pulled Created Started',
  ],
  [
    'it has failed when one of them has',
    plan(two(never), { a: ended(0), b: ended(1) }),
    'report Failed a=terminated b=terminated',
  ],
  [
    'and has succeeded when all have',
    plan(two({ restartPolicy: 'OnFailure' }), { a: ended(0), b: ended(0) }),
    'report Succeeded a=terminated b=terminated',
  ],
  ['init containers go first, one after the other', plan(two(init), {}), 'start i/0'],
  ['a sidecar after the ones before it', plan(two(init), { i: ended(0) }), 'start s/0'],
  ['the others once the sidecar runs', plan(two(init), { i: ended(0), s: runs() }), 'start a/0 b/0'],
  [
    'until then they wait',
    plan(two(init), { i: ended(2, nowMs, 1) }),
    'report Pending a=PodInitializing b=PodInitializing containers with unready status: [a b] again +10000',
  ],
  [
    'for ever when an init container has failed for good',
    plan(two({ ...init, ...never }), { i: ended(2) }),
    'report Failed a=PodInitializing b=PodInitializing',
  ],
  [
    'a sidecar that ended is started again whatever the policy',
    plan(two({ ...init, ...never }), { i: ended(0), s: ended(0, nowMs - 10_000), a: runs(), b: runs() }),
    'start s/1',
  ],
])('%s', (_, made, expected) => {
  expect(line(made)).toBe(expected);
});

const stopping = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:40Z', deletionGracePeriodSeconds: 30 },
});

const held = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, finalizers: ['example.com/keep'] } });

test.each<[string, PodPlan, string]>([
  ['a pod that never ran goes at once', plan(stopping(two()), {}), 'remove'],
  ['what runs is told to stop', plan(stopping(two()), { a: runs(), b: ended(0) }), 'stop within 30000'],
  [
    'once',
    plan(stopping(two()), { a: runs() }, { stopping: { sinceMs: nowMs, graceMs: 30_000 }, changesMs: nowMs + 300 }),
    'nothing again +300',
  ],
  [
    'and again when it gets less time',
    plan(stopping(two()), { a: runs() }, { stopping: { sinceMs: nowMs, graceMs: 60_000 } }),
    'stop within 30000',
  ],
  ['when nothing runs any more the pod is gone', plan(stopping(two()), { a: ended(0), b: ended(1) }), 'remove'],
  [
    'somebody may hold it up to see how it ended',
    plan(held(stopping(two(never))), { a: ended(0), b: ended(1) }),
    'report Failed a=terminated b=terminated',
  ],
  [
    'well, too',
    plan(held(stopping(two(never))), { a: ended(0), b: ended(0) }),
    'report Succeeded a=terminated b=terminated',
  ],
  [
    'whatever it would have been started again for',
    plan(held(stopping(two())), { a: ended(0), b: ended(0) }),
    'report Succeeded a=terminated b=terminated',
  ],
  [
    'what never ran has failed',
    plan(held(stopping(two())), { a: unpulled, b: creating }),
    'report Failed a=ImagePullBackOff b=ContainerCreating',
  ],
  [
    'then it is gone for the node',
    plan({ ...held(stopping(two())), status: { phase: 'Succeeded' } }, { a: ended(0), b: ended(0) }),
    'remove',
  ],
  [
    'also where nothing is known of its containers any more',
    plan({ ...held(stopping(two())), status: { phase: 'Failed' } }, {}),
    'remove',
  ],
  [
    'a driver may want its ends to be told before that',
    plan(stopping(two(never)), { a: ended(0), b: ended(1) }, { tellsEnds: true }),
    'report Failed a=terminated b=terminated',
  ],
  [
    'and while others still run',
    plan(
      stopping(two(never)),
      { a: runs(), b: ended(1) },
      { tellsEnds: true, stopping: { sinceMs: nowMs, graceMs: 30_000 }, changesMs: nowMs + 300 },
    ),
    'report Running a=running b=terminated containers with unready status: [b] again +300',
  ],
])('%s', (_, made, expected) => {
  expect(line(made)).toBe(expected);
});

test('a driver may say that a pod is at its end', () => {
  const failed = { reason: 'Evicted', message: 'too much on disk' };
  const { action } = plan(two(), { a: ended(137), b: ended(137) }, { failed });
  expect(action).toMatchObject({ do: 'report', status: { phase: 'Failed', ...failed } });
});

test('a plan is data', () => {
  const made = plan(two(), { a: runs(), b: unpulled });
  expect(JSON.parse(JSON.stringify(made))).toEqual(made);
});

test('what a real end is like is told as a kubelet tells it', () => {
  const before = {
    ...startedAt,
    endedMs: nowMs - 6_000,
    exitCode: 137,
    reason: 'OOMKilled',
    signal: 9,
    id: 'process://1',
  };
  const { action } = plan(two(), { a: runs({ restartCount: 1, before, isStarting: true, ready: false }), b: runs() });
  const [status] = (action?.do === 'report' && action.status.containerStatuses) || [];
  expect(status).toMatchObject({
    ready: false,
    started: false,
    restartCount: 1,
    lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', signal: 9, containerID: 'process://1' } },
  });
});

test('who waits for init containers waits for nothing else, as far as clients are told', () => {
  const { action } = plan(two({ ...init }), { i: creating });
  const status = action?.do === 'report' ? action.status : undefined;
  expect(status?.initContainerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
});

test('a sidecar ends with those that it serves, and the pod is not told to have ended before it', () => {
  const pod = two({ ...never, ...init });
  const real = { tellsEnds: true, stopping: { sinceMs: nowMs, graceMs: 30_000 } };
  const others = { i: ended(0), a: ended(0), b: ended(1) };
  expect(line(plan(pod, { ...others, s: runs() }, { tellsEnds: true }))).toBe('stop within 30000');
  expect(line(plan(pod, { ...others, s: runs() }, real))).toMatch('report Pending a=terminated b=terminated');
  const { action } = plan(pod, { ...others, s: ended(143) }, real);
  expect(action).toMatchObject({ do: 'report', status: { phase: 'Failed' } });
  expect(action?.do === 'report' && action.status.initContainerStatuses?.[1]?.state).toHaveProperty('terminated');
});

test('who takes the pod for ended finds nothing of it running', () => {
  const over = { ...two(), status: { phase: 'Failed' } };
  expect(line(plan(over, { a: runs(), b: ended(1) }, { tellsEnds: true }))).toBe('stop within 30000');
  expect(line(plan(over, { a: ended(137), b: ended(1) }, { tellsEnds: true }))).toBe('nothing');
});

test.each([
  ['real', { tellsEnds: true }],
  ['simulated', {}],
])('a %s pod that may run for a while only is ended when that is over', (_, real) => {
  const startTime = toTimestamp(nowMs - 10_000);
  const pod = (seconds: number): Pod => ({
    ...two({ activeDeadlineSeconds: seconds }),
    status: { phase: 'Running', startTime },
  });
  const both = { a: runs(), b: runs() };
  expect(line(plan(pod(15), both, real))).toMatch(/^report Running .* again \+5000$/);
  expect(line(plan(pod(10), both, real))).toBe('stop within 30000');
  expect(line(plan(pod(10), { a: unpulled, b: unpulled }, real))).toBe('stop within 30000');
  const stopping = { sinceMs: nowMs, graceMs: 30_000 };
  const { action } = plan(pod(10), { a: ended(0), b: ended(0) }, { ...real, stopping });
  expect(action).toMatchObject({ do: 'report', status: { phase: 'Failed', reason: 'DeadlineExceeded' } });
  // A slow machine: the time was up before anything ran.
  const told = plan({ ...pod(10), status: { ...pod(10).status, containerStatuses: [] } }, {}, { ...real, stopping });
  expect(told.action).toMatchObject({ do: 'report', status: { phase: 'Failed', reason: 'DeadlineExceeded' } });
});

const looked = makePod('p', {
  spec: {
    initContainers: [{ name: 'first', image: 'i' }],
    ephemeralContainers: [{ name: 'debug', image: 'i', targetContainerName: 'main' }],
  },
});

test('whoever debugs a pod waits for nobody, and runs once', () => {
  expect(line(plan(looked, { first: unpulled }))).toMatch(/^start debug\/0/);
  const { action } = plan(looked, { first: ended(0), main: runs(), debug: ended(1) });
  expect(action).toMatchObject({
    do: 'report',
    status: {
      phase: 'Running',
      ephemeralContainerStatuses: [{ name: 'debug', ready: false, state: { terminated: { exitCode: 1 } } }],
    },
  });
});

test('that it runs is told, and changes nothing for those who count on the pod', () => {
  const { action } = plan(looked, { first: ended(0), main: runs(), debug: runs() });
  expect(action?.do === 'report' && action.events.map(({ note }) => note)).toContain('Started container debug');
  expect(action).toMatchObject({
    status: {
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]) as unknown,
      ephemeralContainerStatuses: [{ name: 'debug', ready: false, state: { running: {} } }],
    },
  });
  const [status] = (action?.do === 'report' && action.status.ephemeralContainerStatuses) || [];
  expect(status).not.toHaveProperty('started');
});
