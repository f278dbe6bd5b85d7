import type { Clock } from '../base/clock.ts';
import { createHistogram, exponentialBounds, type Histogram, seriesHead } from '../base/histogram.ts';

/** What is counted of the parts of the plane, in the names of upstream's controllers and scheduler. */
export interface PlaneFigures {
  /** Of the queue of a part; one that starts again goes on counting. */
  queue(name: string): QueueFigure;
  scheduler(profile: string): SchedulerFigure;
  /** Every series, in the text format of Prometheus. */
  text(): string;
}

/** Counting costs a few additions. What can be seen when somebody asks is not counted. */
export interface QueueFigure {
  added(): void;
  retried(): void;
  waited(ms: number): void;
  worked(ms: number): void;
  /** Where to look. */
  seen: QueueSeen;
}

export interface QueueSeen {
  depth(): number;
  /** Since when each of the keys runs that do. */
  running(): Iterable<number>;
}

export type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

export interface SchedulerFigure {
  attempted(result: AttemptResult, ms: number): void;
  /** How many pods wait, by the queue that upstream has for them. */
  pending: () => Readonly<Record<'active' | 'backoff' | 'unschedulable', number>>;
}

const queueBounds = exponentialBounds(1e-8, 10, 12);
const attemptBounds = exponentialBounds(0.001, 2, 15);

type Counted = { adds: number; retries: number; readonly waits: Histogram; readonly works: Histogram } & QueueFigure;
type Scheduled = { readonly attempts: Map<AttemptResult, Histogram & { count: number }> } & SchedulerFigure;

export function createPlaneFigures({ clock }: { readonly clock: Pick<Clock, 'nowMs'> }): PlaneFigures {
  const queues = new Map<string, Counted>();
  const schedulers = new Map<string, Scheduled>();
  return {
    queue: (name) => ofMap(queues, name, createCounted),
    scheduler: (profile) => ofMap(schedulers, profile, createScheduled),
    text: () => `${[...queueLines(queues, clock.nowMs()), ...schedulerLines(schedulers)].join('\n')}\n`,
  };
}

function ofMap<T>(map: Map<string, T>, name: string, create: () => T): T {
  let found = map.get(name);
  if (found === undefined) {
    found = create();
    map.set(name, found);
  }
  return found;
}

function createCounted(): Counted {
  const [waits, works] = [createHistogram(queueBounds), createHistogram(queueBounds)];
  return {
    ...{ adds: 0, retries: 0, waits, works },
    added() {
      this.adds++;
    },
    retried() {
      this.retries++;
    },
    waited: (ms) => waits.observe(ms / 1000),
    worked: (ms) => works.observe(ms / 1000),
    seen: { depth: () => 0, running: () => [] },
  };
}

function createScheduled(): Scheduled {
  const attempts: Scheduled['attempts'] = new Map();
  return {
    attempts,
    attempted(result, ms) {
      let known = attempts.get(result);
      if (known === undefined) {
        known = { ...createHistogram(attemptBounds), count: 0 };
        attempts.set(result, known);
      }
      known.count++;
      known.observe(ms / 1000);
    },
    pending: () => ({ active: 0, backoff: 0, unschedulable: 0 }),
  };
}

function queueLines(queues: ReadonlyMap<string, Counted>, nowMs: number): readonly string[] {
  const all = [...queues].map(([name, queue]) => ({
    label: `name="${name}"`,
    queue,
    running: runningOf(queue, nowMs),
  }));
  const family = (...[name, type, help, of]: Family<(typeof all)[number]>): readonly string[] => [
    ...seriesHead(`workqueue_${name}`, type, help),
    ...all.map((each) => `workqueue_${name}{${each.label}} ${of(each)}`),
  ];
  const histogram = (name: string, help: string, of: (queue: Counted) => Histogram): readonly string[] => [
    ...seriesHead(`workqueue_${name}`, 'histogram', help),
    ...all.flatMap(({ queue, label }) => of(queue).lines(`workqueue_${name}`, label)),
  ];
  return [
    ...family('adds_total', 'counter', 'Keys that were added.', ({ queue }) => queue.adds),
    ...family('depth', 'gauge', 'Keys that wait.', ({ queue }) => queue.seen.depth()),
    ...family('longest_running_processor_seconds', 'gauge', 'How long the key has run that runs longest.', (each) =>
      Math.max(0, ...each.running),
    ),
    ...histogram('queue_duration_seconds', 'How long keys wait before they run.', ({ waits }) => waits),
    ...family('retries_total', 'counter', 'Runs that failed and are tried again.', ({ queue }) => queue.retries),
    ...family('unfinished_work_seconds', 'gauge', 'How long all keys that run have run together.', ({ running }) =>
      running.reduce((sum, seconds) => sum + seconds, 0),
    ),
    ...histogram('work_duration_seconds', 'How long keys run.', ({ works }) => works),
  ];
}

type Family<T> = readonly [name: string, type: 'counter' | 'gauge', help: string, of: (each: T) => number];

function runningOf({ seen }: Counted, nowMs: number): readonly number[] {
  return [...seen.running()].map((sinceMs) => (nowMs - sinceMs) / 1000);
}

function schedulerLines(schedulers: ReadonlyMap<string, Scheduled>): readonly string[] {
  if (schedulers.size === 0) return [];
  const attempts = [...schedulers].flatMap(([profile, { attempts: results }]) =>
    [...results].map(([result, each]) => ({ labels: `profile="${profile}",result="${result}"`, each })),
  );
  const pending = new Map<string, number>();
  for (const { pending: counts } of schedulers.values())
    for (const [queue, count] of Object.entries(counts())) pending.set(queue, (pending.get(queue) ?? 0) + count);
  return [
    ...seriesHead('scheduler_pending_pods', 'gauge', 'Pods that wait for a node, by what they wait for.'),
    ...[...pending].map(([queue, count]) => `scheduler_pending_pods{queue="${queue}"} ${count}`),
    ...seriesHead('scheduler_schedule_attempts_total', 'counter', 'Decisions about pods, by what came of them.'),
    ...attempts.map(({ labels, each }) => `scheduler_schedule_attempts_total{${labels}} ${each.count}`),
    ...seriesHead(
      'scheduler_scheduling_attempt_duration_seconds',
      'histogram',
      'How long it took from the decision about a pod until it was bound, or given up.',
    ),
    ...attempts.flatMap(({ labels, each }) => each.lines('scheduler_scheduling_attempt_duration_seconds', labels)),
  ];
}
