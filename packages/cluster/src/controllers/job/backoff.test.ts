import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import { shape } from '../../testing/job-world.ts';
import { startMs } from '../../testing/plan-world.ts';
import { failuresSinceSuccess, finishedMs, waitMs } from './backoff.ts';

const at = (seconds: number): string => toTimestamp(startMs + seconds * 1_000);

function container(end: number | undefined): object {
  return {
    name: 'app',
    state: end === undefined ? { running: {} } : { terminated: { exitCode: 1, finishedAt: at(end) } },
  };
}

function pod(
  ends: readonly (number | undefined)[],
  more: { metadata?: object; conditions?: readonly object[] } = {},
): Pod {
  const { metadata, ...status } = more;
  const made = shape('p');
  return {
    ...made,
    metadata: { ...made.metadata, creationTimestamp: at(1), ...metadata },
    status: { phase: 'Failed', containerStatuses: ends.map(container), ...status },
  } as Pod;
}

const unready = { type: 'Ready', status: 'False', lastTransitionTime: at(7) };

describe('a pod ended', () => {
  test.each<[string, Pod, number]>([
    ['with the last of its containers', pod([5, 9, 3]), 9],
    [
      'when it was no longer ready, while it is not said of all of them',
      pod([5, undefined], { conditions: [unready] }),
      7,
    ],
    ['when it was no longer ready, without any', pod([], { conditions: [unready] }), 7],
    ['when it was made, where nothing else is said', pod([]), 1],
    ['when it was made, though it was ready once', pod([], { conditions: [{ ...unready, status: 'True' }] }), 1],
    [
      'when it was told to go, which is before it has to be gone',
      pod([], { metadata: { deletionTimestamp: at(40), deletionGracePeriodSeconds: 30 } }),
      10,
    ],
    ['when it was told to go at once', pod([], { metadata: { deletionTimestamp: at(40) } }), 40],
  ])('%s', (_, ended, seconds) => {
    expect(finishedMs(ended)).toBe(startMs + seconds * 1_000);
  });
});

test('failures count from the last success on, with it', () => {
  const failed = [3, 5, 9, 7].map((end) => pod([end]));
  expect(failuresSinceSuccess({ succeeded: [], failed })).toEqual({ failures: 4, lastMs: startMs + 9_000 });
  expect(failuresSinceSuccess({ succeeded: [pod([2]), pod([5])], failed })).toEqual({
    failures: 3,
    lastMs: startMs + 9_000,
  });
  expect(failuresSinceSuccess({ succeeded: [pod([10])], failed }).failures).toBe(0);
});

test.each([
  [0, 0],
  [1, 10],
  [2, 20],
  [6, 320],
  [7, 600],
  [1_000, 600],
])('after %i failures the next waits for %i s', (failures, seconds) => {
  expect(waitMs({ failures, lastMs: startMs, nowMs: startMs })).toBe(seconds * 1_000);
  const late = waitMs({ failures, lastMs: startMs, nowMs: startMs + 700_000 });
  expect(late <= 0).toBe(true);
});
