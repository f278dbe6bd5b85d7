import { createVirtualClock, type VirtualClock } from '@signalbox/cluster/testing';
import { beforeEach, expect, test } from 'vitest';
import type { Answer } from './request.ts';
import { signalReload } from './signal-reload.ts';

/** A Prometheus that takes three seconds to reload. */
let clock: VirtualClock;
let process: { pid: number | undefined; isGood: boolean; loadedMs: number; accepts: boolean };
let signals: number[];
let isSuperseded: boolean;

beforeEach(() => {
  clock = createVirtualClock({ startMs: 1_000_000 });
  process = { pid: 7, isGood: true, loadedMs: 900_000, accepts: true };
  signals = [];
  isSuperseded = false;
});

function answer(status: number, body: string): Answer {
  return { status, statusText: '', body };
}

function runtimeInfo(): Answer {
  // As Prometheus has it: whole seconds.
  const lastConfigTime = new Date(Math.floor(process.loadedMs / 1_000) * 1_000).toISOString();
  return answer(
    200,
    JSON.stringify({ status: 'success', data: { reloadConfigSuccess: process.isGood, lastConfigTime } }),
  );
}

async function outcome(ask = runtimeInfo): Promise<string> {
  let found = 'it goes on';
  const { signal } = new AbortController();
  const reload = signalReload({
    processName: 'prometheus',
    runtimeInfoUrl: new URL('http://localhost:9090/api/v1/status/runtimeinfo'),
    timeoutMs: 30_000,
    reloadMsMax: 180_000,
    ask: async () => ask(),
    clock,
    log: () => undefined,
    processes: {
      find: async (name) => (name === 'prometheus' ? process.pid : undefined),
      hangUp(pid) {
        signals.push(pid);
        clock.after(3_000, () => {
          process.isGood = process.accepts;
          if (process.accepts) process.loadedMs = clock.nowMs();
        });
      },
    },
  });
  void reload({ signal, isSuperseded: () => isSuperseded }).then(
    () => {
      found = `reloaded after ${(clock.nowMs() - 1_000_000) / 1_000} s`;
    },
    (error: Error) => {
      found = `${error.message}, after ${(clock.nowMs() - 1_000_000) / 1_000} s`;
    },
  );
  await clock.advance(10_000);
  if (found === 'it goes on') await clock.advance(200_000);
  return found;
}

test('it sends a signal and waits until the process has loaded what there is', async () => {
  expect(await outcome()).toBe('reloaded after 3 s');
  expect(signals).toEqual([7]);
});

test('a process that has loaded something in this very second is given the next one', async () => {
  process.loadedMs = 1_000_000;
  expect(await outcome()).toBe('reloaded after 4 s');
});

test('a configuration that is refused is told', async () => {
  process.accepts = false;
  expect(await outcome()).toBe('configuration reload has failed, after 3 s');
});

test('one that was refused before is waited for, unless there is something newer', async () => {
  process.accepts = false;
  process.isGood = false;
  expect(await outcome()).toBe('the process has not said within 180 s that it has reloaded, after 180 s');
  clock = createVirtualClock({ startMs: 1_000_000 });
  isSuperseded = true;
  expect(await outcome()).toBe('the files have changed again before it took them, after 0 s');
});

test.each<[string, () => void, (() => Answer) | undefined, string]>([
  [
    'no process',
    () => {
      process.pid = undefined;
    },
    undefined,
    'failed to find process matching "prometheus"',
  ],
  [
    'nobody who answers',
    () => undefined,
    () => {
      throw new Error('connect ECONNREFUSED');
    },
    'cannot tell its configuration before the reload: connect ECONNREFUSED',
  ],
  ['an error for an answer', () => undefined, () => answer(503, ''), 'invalid status code: 503'],
  ['an answer that is none', () => undefined, () => answer(200, '<html>'), 'is not valid JSON'],
  ['a refusal', () => undefined, () => answer(200, '{"status":"error"}'), 'unexpected status: error'],
])('%s: no signal is sent', async (_, breaks, ask, message) => {
  breaks();
  expect(await outcome(ask)).toContain(message);
  expect(signals).toEqual([]);
});
