import { expect, test } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { createPlaneFigures } from './plane-figures.ts';
import { createWorkqueue } from './workqueue.ts';

const { signal } = new AbortController();

test('a queue says what it holds, how long keys wait and run, and what is tried again', async () => {
  const clock = createVirtualClock();
  const figures = createPlaneFigures({ clock });
  const queue = createWorkqueue({ clock, random: seededRandom('q'), figure: figures.queue('deployment') });
  const line = (name: string): string | undefined =>
    figures
      .text()
      .split('\n')
      .find((each) => each.startsWith(`workqueue_${name}{name="deployment"`))
      ?.replace(/^.* /, '');
  const take = async (): Promise<string> => {
    const taken = queue.take({ signal });
    await clock.advance(0);
    return taken;
  };
  queue.add('a');
  queue.add('a');
  queue.add('b');
  await clock.advance(2_000);
  expect([line('adds_total'), line('depth')]).toEqual(['2', '2']);
  expect(await take()).toBe('a');
  await clock.advance(500);
  expect(await take()).toBe('b');
  await clock.advance(1_000);
  expect([line('depth'), line('unfinished_work_seconds'), line('longest_running_processor_seconds')]).toEqual([
    '0',
    '2.5',
    '1.5',
  ]);
  queue.done('a');
  queue.retry('b');
  expect([line('queue_duration_seconds_sum'), line('queue_duration_seconds_count')]).toEqual(['4.5', '2']);
  expect([line('work_duration_seconds_sum'), line('work_duration_seconds_count')]).toEqual(['2.5', '2']);
  expect([line('retries_total'), line('unfinished_work_seconds')]).toEqual(['1', '0']);
  await clock.advance(1_000);
  expect([line('adds_total'), line('depth')]).toEqual(['3', '1']);
});

test('a part that starts again goes on counting, and its new queue is looked at', () => {
  const clock = createVirtualClock();
  const figures = createPlaneFigures({ clock });
  for (const key of ['a', 'b']) {
    const queue = createWorkqueue({ clock, random: seededRandom('q'), figure: figures.queue('job') });
    queue.add(key);
  }
  expect(figures.text()).toContain('workqueue_adds_total{name="job"} 2\n');
  expect(figures.text()).toContain('workqueue_depth{name="job"} 1\n');
});

test('a scheduler says what it has decided, and who waits', () => {
  const figures = createPlaneFigures({ clock: createVirtualClock() });
  const figure = figures.scheduler('default-scheduler');
  figure.pending = () => ({ active: 1, backoff: 0, unschedulable: 7 });
  figure.attempted('scheduled', 3);
  figure.attempted('scheduled', 5);
  figure.attempted('unschedulable', 0);
  const text = figures.text();
  const labels = 'profile="default-scheduler",result="scheduled"';
  for (const line of [
    'scheduler_pending_pods{queue="unschedulable"} 7',
    `scheduler_schedule_attempts_total{${labels}} 2`,
    `scheduler_scheduling_attempt_duration_seconds_bucket{${labels},le="0.004"} 1`,
    `scheduler_scheduling_attempt_duration_seconds_count{${labels}} 2`,
  ])
    expect(text).toContain(`${line}\n`);
});
