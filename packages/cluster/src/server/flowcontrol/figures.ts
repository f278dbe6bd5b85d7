/** What is counted of flows, in the names of upstream's API server. */
import type { Refusal } from './queues.ts';

/** Of one schema at one level. */
export interface FlowCounts {
  readonly schema: string;
  readonly level: string;
  executing: number;
  /** What those take that run. */
  seats: number;
  waiting: number;
  dispatched: number;
  readonly refused: Map<Refusal, number>;
  /** How long they waited: those that ran then, and those that did not. Requests of exempt levels are not asked. */
  readonly waits: { readonly true: Times; readonly false: Times };
}

export interface Times {
  /** How many took at most as long as each bucket says, not added up. */
  readonly within: number[];
  seconds: number;
  count: number;
}

/** Upper ends in seconds, as upstream. */
const buckets: readonly number[] = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

export function newCounts(schema: string, level: string): FlowCounts {
  const waits = { true: newTimes(), false: newTimes() };
  return { schema, level, executing: 0, seats: 0, waiting: 0, dispatched: 0, refused: new Map(), waits };
}

function newTimes(): Times {
  return { within: buckets.map(() => 0), seconds: 0, count: 0 };
}

export function time(times: Times, seconds: number): void {
  const at = buckets.findIndex((bucket) => seconds <= bucket);
  if (at >= 0) times.within[at] = (times.within[at] ?? 0) + 1;
  times.seconds += seconds;
  times.count++;
}

export interface LevelFigure {
  readonly name: string;
  readonly seats: { readonly nominal: number; readonly own: number; readonly most: number };
}

const prefix = 'apiserver_flowcontrol_';

export function flowText(all: Iterable<FlowCounts>, levels: readonly LevelFigure[]): string {
  const lines: string[] = [];
  const counts = [...all].sort((a, b) => (labelsOf(a) < labelsOf(b) ? -1 : 1));
  const family = (name: string, type: string, help: string): void =>
    void lines.push(`# HELP ${prefix}${name} ${help}`, `# TYPE ${prefix}${name} ${type}`);
  const values = (name: string, read: (of: FlowCounts) => number): void => {
    for (const each of counts) lines.push(`${prefix}${name}{${labelsOf(each)}} ${read(each)}`);
  };
  family('current_executing_requests', 'gauge', 'Requests that run; watches only until they have begun.');
  values('current_executing_requests', ({ executing }) => executing);
  family('current_executing_seats', 'gauge', 'Seats that requests take which run: a large list takes several.');
  values('current_executing_seats', ({ seats }) => seats);
  family('current_inqueue_requests', 'gauge', 'Requests that wait in a queue.');
  values('current_inqueue_requests', ({ waiting }) => waiting);
  family('dispatched_requests_total', 'counter', 'Requests that ran.');
  values('dispatched_requests_total', ({ dispatched }) => dispatched);
  family('rejected_requests_total', 'counter', 'Requests that were refused, by the reason.');
  for (const each of counts)
    for (const [reason, count] of each.refused)
      lines.push(`${prefix}rejected_requests_total{${labelsOf(each)},reason="${reason}"} ${count}`);
  family('request_wait_duration_seconds', 'histogram', 'How long requests waited, and whether they ran then.');
  for (const each of counts)
    for (const execute of ['false', 'true'] as const)
      if (each.waits[execute].count > 0)
        histogram(lines, `execute="${execute}",${labelsOf(each)}`, each.waits[execute]);
  family('nominal_limit_seats', 'gauge', 'Seats where all levels are busy.');
  for (const { name, seats } of levels)
    lines.push(`${prefix}nominal_limit_seats{priority_level="${name}"} ${seats.nominal}`);
  family('lower_limit_seats', 'gauge', 'Of them, what is lent to no other level.');
  for (const { name, seats } of levels) lines.push(`${prefix}lower_limit_seats{priority_level="${name}"} ${seats.own}`);
  family('upper_limit_seats', 'gauge', 'Seats with what is borrowed.');
  for (const { name, seats } of levels)
    lines.push(`${prefix}upper_limit_seats{priority_level="${name}"} ${seats.most}`);
  return `${lines.join('\n')}\n`;
}

/** Names of objects of the API: nothing in them has to be escaped. */
function labelsOf({ schema, level }: FlowCounts): string {
  return `flow_schema="${schema}",priority_level="${level}"`;
}

function histogram(lines: string[], labels: string, { within, seconds, count }: Times): void {
  const name = `${prefix}request_wait_duration_seconds`;
  let sum = 0;
  for (const [index, bucket] of buckets.entries()) {
    sum += within[index] ?? 0;
    lines.push(`${name}_bucket{${labels},le="${bucket}"} ${sum}`);
  }
  lines.push(`${name}_bucket{${labels},le="+Inf"} ${count}`, `${name}_sum{${labels}} ${seconds}`);
  lines.push(`${name}_count{${labels}} ${count}`);
}
