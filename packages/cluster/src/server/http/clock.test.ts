import { expect, test } from 'vitest';
import { isStatusError } from '../../api/status.ts';
import { administrator } from '../../api/system-identities.ts';
import { createDrivenClock } from '../../base/driven-clock.ts';
import { type ClockDoor, clockRoute } from './clock.ts';

const startMs = Date.parse('2026-01-01T00:00:00Z');
const { signal } = new AbortController();

async function ask(door: ClockDoor, method: 'GET' | 'POST', query = ''): Promise<unknown> {
  try {
    const { user } = administrator;
    const answer = await clockRoute(door).answer({
      method,
      below: [],
      query: new URLSearchParams(query),
      user,
      signal,
    });
    return answer.body.is === 'bytes' ? JSON.parse(answer.body.bytes.toString()) : undefined;
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return [error.status.code, error.status.message];
  }
}

function driven(): ClockDoor & { readonly saved: string[] } {
  const clock = createDrivenClock({ startMs });
  const saved: string[] = [];
  return {
    nowMs: clock.nowMs,
    driven: clock,
    saved,
    moved: async () => void saved.push(new Date(clock.nowMs()).toISOString()),
  };
}

test('it tells the time, and moves it', async () => {
  const door = driven();
  expect(await ask(door, 'GET')).toEqual({ virtual: true, now: '2026-01-01T00:00:00.000Z' });
  expect(await ask(door, 'POST', 'advance=72h')).toEqual({ virtual: true, now: '2026-01-04T00:00:00.000Z' });
  expect(await ask(door, 'POST', 'to=2026-01-05T00:00:00%2B01:00')).toMatchObject({ now: '2026-01-04T23:00:00.000Z' });
  expect(door.saved).toEqual(['2026-01-04T00:00:00.000Z', '2026-01-04T23:00:00.000Z']);
});

test('a plus need not be escaped', async () => {
  const door = driven();
  expect(await ask(door, 'POST', 'advance=+72h')).toMatchObject({ now: '2026-01-04T00:00:00.000Z' });
  expect(await ask(door, 'POST', 'to=2026-01-05T00:00:00+01:00')).toMatchObject({ now: '2026-01-04T23:00:00.000Z' });
});

test.each([
  ['', 'say how far: ?advance=72h, or ?to=2027-01-01T00:00:00Z'],
  ['advance=1h&to=2027-01-01T00:00:00Z', 'say how far: ?advance=72h, or ?to=2027-01-01T00:00:00Z'],
  ['advance=3', '"3" is no duration such as 90s, 11m or 72h'],
  ['to=tomorrow', '"tomorrow" is no time such as 2027-01-01T00:00:00Z'],
  ['to=2026-02-30T00:00:00Z', '"2026-02-30T00:00:00Z" is no time such as 2027-01-01T00:00:00Z'],
  ['to=2026-02-03', '"2026-02-03" is no time such as 2027-01-01T00:00:00Z'],
  ['to=2025-12-31T23:59:59Z', 'time only goes forward, and it is 2026-01-01T00:00:00.000Z'],
  ['to=2036-12-31T00:00:00Z', 'at most 87600h at once'],
  ['advance=1h&pace=1h', '"1h" is no pace such as 50ms'],
])('POST ?%s is refused', async (query, message) => {
  const door = driven();
  expect(await ask(door, 'POST', query)).toEqual([400, message]);
  expect(door.nowMs()).toBe(startMs);
});

test('one moves it at a time, and others see where to', async () => {
  const door = driven();
  const first = ask(door, 'POST', 'advance=1h');
  expect(await ask(door, 'GET')).toMatchObject({ target: '2026-01-01T01:00:00.000Z' });
  expect(await ask(door, 'POST', 'advance=1s')).toEqual([
    409,
    'the clock is being moved to 2026-01-01T01:00:00.000Z; wait until it is there',
  ]);
  expect(await first).toEqual({ virtual: true, now: '2026-01-01T01:00:00.000Z' });
});

test('the computer’s stays as it is', async () => {
  const door = { nowMs: () => startMs };
  expect(await ask(door, 'GET')).toEqual({ virtual: false, now: '2026-01-01T00:00:00.000Z' });
  expect(await ask(door, 'POST', 'advance=1h')).toEqual([
    405,
    'the clock is the computer’s and cannot be moved; start the cluster with up --virtual',
  ]);
});
