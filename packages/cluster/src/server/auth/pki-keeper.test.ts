import { afterEach, beforeEach, expect, test } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import { dayMs } from './lifetime.ts';
import type { Pki } from './pki.ts';
import { openPki, type PkiKeeper } from './pki-keeper.ts';

const hourMs = 3_600_000;

let clock: VirtualClock;
/** How far the computer's clock is off. */
let offMs: number;
let keeper: PkiKeeper;
let ending: AbortController;
let running: Promise<void>;
let used: Pki[];
let failing: boolean;
let reports: string[];

beforeEach(async () => {
  clock = createVirtualClock();
  offMs = 0;
  used = [];
  failing = false;
  reports = [];
  ending = new AbortController();
  const skewed = { ...clock, nowMs: () => clock.nowMs() + offMs };
  keeper = await openPki({ folder: undefined, hosts: ['127.0.0.1'], clock: skewed });
  running = keeper.run({
    signal: ending.signal,
    use(pki) {
      used.push(pki);
      return failing ? Promise.reject(new Error('no space left')) : Promise.resolve();
    },
    report: (message, error) => reports.push(error instanceof Error ? `${message}: ${error.message}` : message),
  });
});

afterEach(async () => {
  ending.abort();
  await running;
});

/** Signing is real work, which the virtual clock does not wait for. */
const changed = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = keeper.onChange(() => {
      stop();
      resolve();
    });
  });

test('a year passes: both certificates are renewed a month before their end, under the same authority', async () => {
  const first = keeper.current();
  await clock.advance(335 * dayMs - 1_000);
  expect(used).toEqual([]);
  const change = changed();
  await clock.advance(1_000);
  await change;
  await clock.settle();
  const renewed = keeper.current();
  expect(used).toEqual([renewed]);
  expect(renewed.server.cert).not.toBe(first.server.cert);
  expect(renewed.admin.cert).not.toBe(first.admin.cert);
  expect([renewed.ca, renewed.token]).toEqual([first.ca, first.token]);
  await clock.advance(300 * dayMs);
  expect(used).toHaveLength(1);
  expect(reports).toEqual([]);
});

test('a clock that is put back is noticed within the hour', async () => {
  offMs = -3 * dayMs;
  const change = changed();
  await clock.advance(hourMs);
  await change;
  await clock.settle();
  expect(used).toHaveLength(1);
  expect(keeper.current().window.fromMs).toBeLessThan(clock.nowMs() + offMs);
  expect(reports).toEqual([expect.stringMatching(/not valid yet \(check the clock/)]);
});

test('what cannot be put to use is tried every minute and told of once', async () => {
  failing = true;
  const change = changed();
  await clock.advance(335 * dayMs);
  await change;
  await clock.settle();
  await clock.advance(5 * 60_000);
  expect(used).toHaveLength(6);
  expect(reports).toEqual(['certificates cannot be renewed; it is tried every minute: no space left']);
  failing = false;
  await clock.advance(60_000);
  await clock.advance(hourMs);
  expect(used).toHaveLength(7);
  expect(new Set(used).size).toBe(1);
});

test('the successor of an authority is published a year before the end', async () => {
  const first = keeper.current();
  offMs = (3_650 - 365) * dayMs;
  const change = changed();
  await clock.advance(hourMs);
  await change;
  await clock.settle();
  expect(keeper.pem().startsWith(first.ca)).toBe(true);
  expect(keeper.pem().match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  expect(reports).toEqual([expect.stringContaining('the certificate authority signs until')]);
});
