import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../../api/generated/core-v1.ts';
import { makePod, type PodParts } from '../../../testing/makers.ts';
import { type PodRun, type PodStep, planPod } from './pod-plan.ts';

const startMs = 1_767_225_600_000;
const addresses = { podIp: '10.0.0.1', hostIp: '172.16.0.1' };
const bound: PodRun = { seenMs: startMs, startDelayMs: 500, startedMs: undefined, stoppingMs: undefined };

function step(pod: Pod, atMs: number, run: Partial<PodRun> = {}): PodStep {
  return planPod({ pod, run: { ...bound, ...run }, hostIp: addresses.hostIp }, startMs + atMs);
}

function statusOf(taken: PodStep): PodStatus {
  if (taken.do === 'start') return taken.status(addresses);
  if (taken.do === 'report') return taken.status;
  throw new Error(`no status in ${taken.do}`);
}

/** `Running ready@…`: what a step says about the pod, and when to look again. */
function line(taken: PodStep): string {
  const again = 'againMs' in taken && taken.againMs !== undefined ? ` again +${taken.againMs - startMs}` : '';
  if (taken.do === 'nothing' || taken.do === 'remove') return taken.do + again;
  const { phase, conditions = [], containerStatuses = [] } = statusOf(taken);
  const ready = conditions.find(({ type }) => type === 'Ready')?.status === 'True' ? 'ready' : 'unready';
  const waiting = containerStatuses[0]?.state?.waiting?.reason;
  return `${taken.do} ${phase} ${ready}${waiting === undefined ? '' : ` ${waiting}`}${again}`;
}

const annotated = (annotations: Readonly<Record<string, string>>, parts: PodParts = {}): Pod =>
  makePod('p', { node: 'a', ...parts, metadata: { annotations, ...parts.metadata } });

function started(pod: Pod, atMs = 500): Pod {
  return { ...pod, status: statusOf(step(pod, atMs)) };
}

const plain = makePod('p', { node: 'a' });

test.each<[string, PodStep, string]>([
  ['before its time a pod only waits', step(plain, 0), 'nothing again +500'],
  ['then it runs and is ready', step(plain, 500), 'start Running ready'],
  ['once it runs nothing is left to do', step(started(plain), 10_000), 'nothing'],
  [
    'a probe that begins late makes it ready late',
    step(makePod('p', { spec: { containers: [{ name: 'main', readinessProbe: { initialDelaySeconds: 7 } }] } }), 500),
    'start Running unready again +7500',
  ],
  [
    'ready after what the annotation says',
    step(annotated({ 'signalbox.dev/ready-after': '3s' }), 500),
    'start Running unready again +3500',
  ],
  [
    'never ready if the annotation says so',
    step(annotated({ 'signalbox.dev/ready-after': 'never' }), 500),
    'start Running unready',
  ],
  [
    'the moment of readiness is reported',
    step(started(annotated({ 'signalbox.dev/ready-after': '3s' })), 3_500, { startedMs: startMs + 500 }),
    'report Running ready',
  ],
  [
    'slow containers are reported as being created',
    step(plain, 0, { startDelayMs: 5_000 }),
    'report Pending unready ContainerCreating again +5000',
  ],
  [
    'an image of a host that cannot exist is never pulled',
    step(makePod('p', { spec: { containers: [{ name: 'main', image: 'registry.invalid/x:1' }] } }), 500),
    'report Pending unready ImagePullBackOff',
  ],
  [
    'a container that ends waits to be started again',
    step(started(annotated({ 'signalbox.dev/exit-after': '2s', 'signalbox.dev/exit-code': '3' })), 2_500, {
      startedMs: startMs + 500,
    }),
    'report Running unready CrashLoopBackOff again +12500',
  ],
  [
    'unless its pod is not to restart it',
    step(started(annotated({ 'signalbox.dev/exit-after': '2s' }, { spec: { restartPolicy: 'Never' } })), 2_500, {
      startedMs: startMs + 500,
    }),
    'report Succeeded unready',
  ],
  [
    'with a failure it fails',
    step(
      started(
        annotated(
          { 'signalbox.dev/exit-after': '2s', 'signalbox.dev/exit-code': '1' },
          { spec: { restartPolicy: 'Never' } },
        ),
      ),
      2_500,
      { startedMs: startMs + 500 },
    ),
    'report Failed unready',
  ],
  ['an ended pod is left alone', step(makePod('p', { status: { phase: 'Succeeded' } }), 9_000), 'nothing'],
])('%s', (_, taken, expected) => {
  expect(line(taken)).toBe(expected);
});

const stopping = { deletionTimestamp: '2026-01-01T00:00:40Z', deletionGracePeriodSeconds: 30 };

test.each<[string, PodStep, string]>([
  [
    'a pod that never ran goes at once',
    step(makePod('p', { metadata: stopping }), 0, { stoppingMs: startMs }),
    'remove',
  ],
  [
    'a running one gets time to stop',
    step({ ...started(plain), metadata: { ...plain.metadata, ...stopping } }, 10_000, { stoppingMs: startMs + 10_000 }),
    'nothing again +10300',
  ],
  [
    'and is gone when it has stopped',
    step({ ...started(plain), metadata: { ...plain.metadata, ...stopping } }, 10_300, { stoppingMs: startMs + 10_000 }),
    'remove',
  ],
  [
    'who will not stop is stopped at the end of the grace period',
    step(
      {
        ...started(plain),
        metadata: { ...plain.metadata, ...stopping, annotations: { 'signalbox.dev/stop-after': '10m' } },
      },
      10_000,
      { stoppingMs: startMs + 10_000 },
    ),
    'nothing again +40000',
  ],
])('%s', (_, taken, expected) => {
  expect(line(taken)).toBe(expected);
});

test('a restart counts, and the container starts anew', () => {
  const crashing = annotated({ 'signalbox.dev/exit-after': '2s', 'signalbox.dev/exit-code': '1' });
  const ended = { ...crashing, status: statusOf(step(started(crashing), 2_500, { startedMs: startMs + 500 })) };
  expect(line(step(ended, 5_000))).toBe('nothing again +12000');
  const again = statusOf(step(ended, 12_500));
  expect(again.containerStatuses?.[0]?.restartCount).toBe(1);
  expect(again.containerStatuses?.[0]?.state?.running?.startedAt).toBe('2026-01-01T00:00:12Z');
});

test('a status names addresses, images and the moment of each change', () => {
  const status = statusOf(step(plain, 500));
  expect(status.podIPs).toEqual([{ ip: '10.0.0.1' }]);
  expect(status.hostIP).toBe('172.16.0.1');
  expect(status.startTime).toBe('2026-01-01T00:00:00Z');
  expect(status.containerStatuses?.[0]?.imageID).toMatch(/^example\/main@sha256:[0-9a-f]{64}$/);
  expect(status.conditions?.map(({ type, status: value }) => `${type}=${value}`)).toEqual([
    'PodReadyToStartContainers=True',
    'Initialized=True',
    'Ready=True',
    'ContainersReady=True',
  ]);
});

test('a readiness gate keeps the pod unready though its containers are ready', () => {
  const gated = makePod('p', { spec: { readinessGates: [{ conditionType: 'example.com/lb' }] } });
  const status = statusOf(step(gated, 500));
  expect(status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
    status: 'False',
    reason: 'ReadinessGatesNotReady',
  });
  expect(status.conditions?.find(({ type }) => type === 'ContainersReady')?.status).toBe('True');
});

test('readiness that somebody took away while the node was silent comes back', () => {
  const pod = started(plain);
  const lost = (pod.status.conditions ?? []).map((each) =>
    each.type === 'Ready' ? { ...each, status: 'False' } : each,
  );
  const taken = step({ ...pod, status: { ...pod.status, conditions: lost } }, 60_000, { startedMs: startMs + 500 });
  expect(line(taken)).toBe('report Running ready');
});
