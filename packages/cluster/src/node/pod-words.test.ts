import { expect, test } from 'vitest';
import type { ContainerStatus, Pod } from '../api/generated/core-v1.ts';
import { makePod } from '../testing/makers.ts';
import type { ContainerSeen } from './driver.ts';
import { planPod } from './pod-plan.ts';

const nowMs = 1_000_000;

/** What is reported of a pod with one container, in the words that `kubectl describe` shows. */
function reported(seen: ContainerSeen, before?: Partial<ContainerStatus>) {
  const containerStatuses =
    before && ([{ name: 'main', image: 'app:1', imageID: '', ready: false, restartCount: 0, ...before }] as const);
  const status: Pod['status'] = { phase: 'Running', ...(containerStatuses && { containerStatuses }) };
  const pod = makePod('p', { node: 'n', status, spec: { containers: [{ name: 'main', image: 'app:1' }] } });
  const world = { podIp: '10.0.0.1', containers: new Map([['main', seen]]) };
  const { action } = planPod({ pod, seen: world, hostIp: '172.16.0.1', stoppingMs: undefined }, nowMs);
  if (action?.do !== 'report') throw new Error('nothing is reported');
  return {
    waits: action.status.containerStatuses?.[0]?.state?.waiting?.message,
    events: action.events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`),
  };
}

const run = { restartCount: 0, startedMs: nowMs - 1_000, imageId: 'app@1' };
const ended = (restartCount: number): ContainerSeen => ({
  ...run,
  is: 'ended',
  restartCount,
  endedMs: nowMs,
  exitCode: 3,
});
const running = { running: { startedAt: '1970-01-01T00:16:39Z' } };

test('an image that cannot be pulled is told as kubelets do', () => {
  const event = { reason: 'Failed', note: 'Failed to pull image "app:1": host not found' };
  expect(reported({ is: 'waiting', reason: 'ImagePullBackOff', event }).events).toEqual([
    'Normal Pulling: Pulling image "app:1"',
    'Warning Failed: Failed to pull image "app:1": host not found',
    'Warning Failed: Error: ErrImagePull',
    'Normal BackOff: Back-off pulling image "app:1"',
    'Warning Failed: Error: ImagePullBackOff',
  ]);
});

test.each([
  [1, '10s'],
  [4, '1m20s'],
  [9, '5m0s'],
])(
  'after %i restarts a container that keeps failing waits for %s, and its pod is named in full',
  (restarts, backOff) => {
    const { waits, events } = reported(ended(restarts), { restartCount: restarts, state: running });
    expect(waits).toBe(`back-off ${backOff} restarting failed container=main pod=p_default(uid-default-p)`);
    expect(events).toEqual([
      'Warning BackOff: Back-off restarting failed container main in pod p_default(uid-default-p)',
    ]);
  },
);

test.each<[string, number, string[]]>([
  ['every start', 2, ['Pulled', 'Created', 'Started']],
  ['nothing of a container that runs on', 1, []],
])('%s is told', (_, restartCount, reasons) => {
  const seen: ContainerSeen = { ...run, is: 'running', id: 'simulated://1', ready: true, restartCount };
  const { events } = reported(seen, { restartCount: 1, state: running });
  expect(events.map((event) => event.replace(/^Normal (\w+):.*/, '$1'))).toEqual(reasons);
});
