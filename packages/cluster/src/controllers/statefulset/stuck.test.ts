import { expect, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { makePod } from '../../testing/makers.ts';
import { isStuck } from './stuck.ts';

const pod = (revision: string | undefined, status: Pod['status']): Pod =>
  makePod('web-0', { ...(revision !== undefined && { labels: { 'controller-revision-hash': revision } }), status });

const waiting = (reason: string): Pod['status'] => ({
  phase: 'Pending',
  containerStatuses: [
    { name: 'main', image: 'a', imageID: '', ready: false, restartCount: 0, state: { waiting: { reason } } },
  ],
});
const preparing = (reason: string): Pod['status'] => {
  const { containerStatuses = [] } = waiting(reason);
  return { ...waiting('PodInitializing'), initContainerStatuses: containerStatuses };
};
const unready: Pod['status'] = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };
const unschedulable: Pod['status'] = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
};
const gated: Pod['status'] = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
};

test.each<[string, string | undefined, Pod['status'], boolean]>([
  ['of the new revision', 'new', waiting('CrashLoopBackOff'), false],
  ['of a revision that was given up, which runs', 'between', unready, true],
  [
    'of a revision that was given up, which serves',
    'between',
    { ...unready, conditions: [{ type: 'Ready', status: 'True' }] },
    false,
  ],
  ['of the old revision which runs and may still read its data', 'old', unready, false],
  ['of the old revision which cannot pull its image', 'old', waiting('ImagePullBackOff'), true],
  ['of the old revision which dies again and again', 'old', waiting('CrashLoopBackOff'), true],
  ['of the old revision whose preparations die again and again', 'old', preparing('CrashLoopBackOff'), true],
  ['of the old revision which is about to start', 'old', waiting('ContainerCreating'), false],
  ['of the old revision which fits nowhere', 'old', unschedulable, true],
  ['of the old revision which has yet to be placed', 'old', { phase: 'Pending' }, false],
  ['of the old revision which somebody holds back', 'old', gated, false],
  ['of no revision which runs', undefined, unready, false],
])('a pod %s', (_, revision, status, expected) => {
  expect(isStuck(pod(revision, status), { current: 'old', update: 'new' })).toBe(expected);
});

test('after a rollback both are one', () => {
  expect(isStuck(pod('broken', unready), { current: 'old', update: 'old' })).toBe(true);
  expect(isStuck(pod('old', waiting('CrashLoopBackOff')), { current: 'old', update: 'old' })).toBe(false);
});
