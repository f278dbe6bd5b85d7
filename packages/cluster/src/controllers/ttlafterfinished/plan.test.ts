import { expect, test } from 'vitest';
import { toTimestamp } from '../../base/clock.ts';
import { job } from '../../testing/job-world.ts';
import { startMs, terminating } from '../../testing/plan-world.ts';
import { plan } from './plan.ts';

const ended = (type: string): object => ({
  conditions: [{ type, status: 'True', lastTransitionTime: toTimestamp(startMs) }],
});

test.each(['Complete', 'Failed'])('a Job that is %s goes when its time is up, and its pods before it', (type) => {
  const done = job({ ttlSecondsAfterFinished: 30 }, ended(type));
  expect(plan({ job: done }, startMs + 10_000)).toEqual({ actions: [], againInMs: 20_000 });
  expect(plan({ job: done }, startMs + 30_000).actions).toMatchObject([
    {
      do: 'delete',
      target: done,
      options: { propagationPolicy: 'Foreground', preconditions: { resourceVersion: '1' } },
    },
  ]);
});

test('zero is at once', () => {
  expect(plan({ job: job({ ttlSecondsAfterFinished: 0 }, ended('Complete')) }, startMs).actions).toHaveLength(1);
});

test('one that says nothing, has not ended, or is going already is left alone', () => {
  const lateMs = startMs + 1e9;
  expect(plan({ job: job({}, ended('Complete')) }, lateMs)).toEqual({ actions: [] });
  expect(plan({ job: job({ ttlSecondsAfterFinished: 1 }) }, lateMs)).toEqual({ actions: [] });
  const going = terminating(job({ ttlSecondsAfterFinished: 1 }, ended('Complete')));
  expect(plan({ job: going }, lateMs)).toEqual({ actions: [] });
});
