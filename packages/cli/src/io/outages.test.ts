import { failure, StatusError } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import type { LogLine } from './log.ts';
import { tellingOutagesOnce } from './outages.ts';

const refused = new StatusError(failure(503, 'ServiceUnavailable', 'cannot reach https://127.0.0.1:1'), {
  cause: new Error('ECONNREFUSED'),
});

test('an API that cannot be reached is told once, then every ten minutes, and anew when it goes away again', () => {
  const told: LogLine[] = [];
  let nowMs = 0;
  const log = tellingOutagesOnce({ write: (line) => told.push(line) }, { nowMs: () => nowMs });
  const fails = (message: string): void => log.write({ level: 'warn', message, error: refused });
  const warned = (): number => told.filter(({ level }) => level === 'warn').length;
  fails('cannot follow pods');
  fails('cannot follow nodes');
  expect(told).toEqual([
    { level: 'warn', message: 'cannot follow pods', error: refused },
    { level: 'debug', message: 'cannot follow nodes', error: refused },
  ]);
  for (; nowMs < 9 * 60_000; nowMs += 60_000) fails('cannot follow pods');
  expect(warned()).toBe(1);
  for (; nowMs < 12 * 60_000; nowMs += 60_000) fails('cannot follow pods');
  expect(warned()).toBe(2);
  nowMs += 121_000;
  fails('cannot follow pods');
  expect(warned()).toBe(3);
});

test('what the API answers is always told', () => {
  const told: LogLine[] = [];
  const log = tellingOutagesOnce({ write: (line) => told.push(line) }, { nowMs: () => 0 });
  const busy = new StatusError(failure(503, 'ServiceUnavailable', 'the store is being opened'));
  for (const error of [busy, busy, new Error('x'), undefined]) log.write({ level: 'warn', message: 'm', error });
  expect(told.map(({ level }) => level)).toEqual(['warn', 'warn', 'warn', 'warn']);
});

test('what is not allowed is told once for each resource, then every ten minutes', () => {
  const told: LogLine[] = [];
  let nowMs = 0;
  const log = tellingOutagesOnce({ write: (line) => told.push(line) }, { nowMs: () => nowMs });
  const forbidden = new StatusError(failure(403, 'Forbidden', 'pods is forbidden'));
  for (; nowMs <= 11 * 60_000; nowMs += 30_000)
    for (const message of ['cannot follow pods', 'cannot follow nodes'])
      log.write({ level: 'warn', message, error: forbidden });
  expect(told.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
    'cannot follow pods',
    'cannot follow nodes',
    'cannot follow pods',
    'cannot follow nodes',
  ]);
});
