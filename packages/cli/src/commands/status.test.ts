import { expect, test } from 'vitest';
import { statusLines } from './status.ts';

const facts = {
  running: true,
  pid: 7,
  since: '2026-01-01T00:00:00Z',
  server: 'https://127.0.0.1:6443',
  kubeconfig: '/home/you/.signalbox/kubeconfig',
} as const;
const nowMs = Date.parse('2026-01-01T00:12:00Z');

test('what runs says where, since when and how it is', () => {
  const counts = {
    nodes: { ready: 3, total: 3 },
    realNodes: [],
    pods: { ready: 1, total: 2 },
    roots: { ready: 0, total: 0 },
  };
  expect(statusLines({ ...facts, log: '/up.log', answers: true, ...counts }, nowMs)).toEqual([
    'running for 12m (since 2026-01-01T00:00:00Z) as process 7',
    '  API         https://127.0.0.1:6443',
    '  kubeconfig  /home/you/.signalbox/kubeconfig',
    '  log         /up.log',
    '  nodes       3 of 3 ready',
    '  pods        1 of 2 ready',
    '  roots       0 of 0 ready',
  ]);
});

test('what has only just started, or by another clock will, runs for no time that anybody could mean', () => {
  const first = (atMs: number): string | undefined => statusLines({ ...facts, answers: false, why: 'x' }, atMs)[0];
  const startedMs = Date.parse(facts.since);
  for (const atMs of [startedMs - 5_000, startedMs, startedMs + 999])
    expect(first(atMs)).toMatch(/^running for less than 1s \(since/);
  expect(first(startedMs + 1_999)).toMatch(/^running for 1s \(since/);
});

test('real nodes are named, with their agents', () => {
  const counts = { nodes: { ready: 1, total: 2 }, pods: { ready: 1, total: 2 }, roots: { ready: 0, total: 0 } };
  const realNodes = [
    { name: 'box', ready: true, pid: 8 },
    { name: 'lost', ready: false },
  ];
  expect(statusLines({ ...facts, answers: true, ...counts, realNodes }, nowMs)).toEqual(
    expect.arrayContaining([
      '  real node   box: ready, process 8',
      '  real node   lost: not ready, no agent runs; signalbox up --real starts one',
    ]),
  );
});

test('one that does not answer says why', () => {
  expect(statusLines({ ...facts, answers: false, why: 'connection refused' }, nowMs).at(-1)).toBe(
    '  trouble     connection refused',
  );
});

test('nothing that runs is one line', () => {
  expect(statusLines({ running: false, why: 'no cluster is running in .signalbox' }, nowMs)).toHaveLength(1);
});
