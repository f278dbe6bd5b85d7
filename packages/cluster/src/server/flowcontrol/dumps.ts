/** What stands behind `/debug/api_priority_and_fairness`: tables in upstream's form, one line for a level, a queue, a request. */
import { toTimestamp } from '../../base/clock.ts';
import type { FlowCounts } from './figures.ts';
import type { FlowTurn } from './flow-control.ts';
import type { LevelState, Refusal } from './queues.ts';

export interface Dumps {
  levels(): string;
  queues(): string;
  requests(options: { readonly hasDetails: boolean }): string;
}

type States = readonly LevelState<FlowTurn>[];

export function dumpLevels(states: States, counted: Iterable<FlowCounts>): string {
  const counts = [...counted];
  const head = [
    ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests', 'ExecutingRequests'],
    ...['DispatchedRequests', 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests'],
  ];
  const rows = byName(states).map(({ level, executing, queue, isGone }) => {
    const own = counts.filter((each) => each.level === level.name);
    const refused = (...reasons: readonly Refusal[]): number =>
      sum(own.flatMap((each) => reasons.map((reason) => each.refused.get(reason) ?? 0)));
    return [
      ...[level.name, queue.flowCount, executing + queue.size === 0, isGone, queue.size, executing],
      ...[sum(own.map(({ dispatched }) => dispatched)), refused('queue-full', 'concurrency-limit')],
      ...[refused('time-out'), refused('cancelled')],
    ];
  });
  return table(head, rows);
}

const nothing = { runs: 0, seats: 0 };

/** There are as many queues as there are flows that wait. */
export function dumpQueues(states: States, running: Iterable<FlowTurn>): string {
  const executing = new Map<string, { readonly runs: number; readonly seats: number }>();
  for (const { level, flow, seats } of running) {
    const key = `${level} ${flow}`;
    const { runs, seats: taken } = executing.get(key) ?? nothing;
    executing.set(key, { runs: runs + 1, seats: taken + seats });
  }
  const rows = byName(states).flatMap(({ level, queue }) =>
    [...queue.all()].map((turns, index) => {
      const { runs, seats } = executing.get(`${level.name} ${turns[0]?.flow}`) ?? nothing;
      return [level.name, index, turns.length, runs, seats];
    }),
  );
  return table(['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'SeatsInUse'], rows);
}

interface RequestsOptions {
  readonly running: Iterable<FlowTurn>;
  /** Whether it is told whose requests those are, and what about. */
  readonly hasDetails: boolean;
}

export function dumpRequests(states: States, { running, hasDetails }: RequestsOptions): string {
  const head = [
    ...['PriorityLevelName', 'FlowSchemaName', 'QueueIndex', 'RequestIndexInQueue', 'FlowDistingsher', 'ArriveTime'],
    ...['StartTime', ...(hasDetails ? ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'Resource'] : [])],
  ];
  const rowOf = (turn: FlowTurn, queue: number, index: number): readonly Cell[] => {
    const { of, arrivedMs, startedMs } = turn;
    const times = [toTimestamp(arrivedMs), index < 0 ? toTimestamp(startedMs) : ''];
    const place = [of.level.name, of.schema.name, queue, index, of.distinguisher];
    return [...place, ...times, ...(hasDetails ? detailsOf(turn) : [])];
  };
  const waiting = byName(states).flatMap(({ queue }) =>
    [...queue.all()].flatMap((turns, at) => turns.map((turn, index) => rowOf(turn, at, index))),
  );
  return table(head, [...waiting, ...[...running].map((turn) => rowOf(turn, -1, -1))]);
}

function detailsOf({ access }: FlowTurn): readonly Cell[] {
  const { user, verb } = access;
  if ('path' in access) return [user.name, verb, access.path, '', '', ''];
  const { group, resource, namespace = '', name = '' } = access;
  return [user.name, verb, '', namespace, name, group === '' ? resource : `${resource}.${group}`];
}

function byName(states: States): States {
  return [...states].sort((a, b) => (a.level.name < b.level.name ? -1 : 1));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

type Cell = string | number | boolean;

/** Cells end with a comma and begin under each other. */
function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const all = [head, ...rows].map((row) => row.map((cell) => String(cell)));
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)) + 2);
  const last = head.length - 1;
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === last ? cell : `${cell},`.padEnd(widths[column] ?? 0))).join('');
  return all.map((row) => `${line(row)}\n`).join('');
}
