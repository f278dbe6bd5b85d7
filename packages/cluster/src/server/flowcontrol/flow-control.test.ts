import { beforeEach, describe, expect, test } from 'vitest';
import { authenticated, groups } from '../../api/identities.ts';
import { isStatusError } from '../../api/status.ts';
import { builtinLevels, builtinSchemas } from '../../resources/flowcontrol/builtin.ts';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import type { Access } from '../context/authorizer.ts';
import { createFlowControl, type FlowControl, type Place } from './flow-control.ts';

const never = new AbortController().signal;
const accessOf = (name: string): Access => ({
  ...{ user: authenticated({ name, groups: [] }), verb: 'get', group: '', resource: 'pods', namespace: 'shop' },
});

let clock: VirtualClock;
let control: FlowControl;
let objects: { state: object; schemas(): typeof builtinSchemas; levels(): typeof builtinLevels };

beforeEach(() => {
  clock = createVirtualClock();
  objects = { state: {}, schemas: () => builtinSchemas, levels: () => builtinLevels };
  // Two seats for each level: what is everybody's own.
  control = createFlowControl({ objects, clock, limits: { seats: 2, waitMsMax: 15_000 } });
});

const enter = async (name: string, signal: AbortSignal = never): Promise<Place> =>
  control.enter(control.classify(accessOf(name)), { access: accessOf(name), signal });

/** Takes all that a level of this user has. */
async function fill(name: string): Promise<Place[]> {
  const places: Place[] = [];
  for (;;) {
    let place: Place | undefined;
    void enter(name).then(
      (entered) => {
        place = entered;
      },
      () => undefined,
    );
    await clock.advance(0);
    if (place === undefined) return places;
    places.push(place);
  }
}

const line = (text: string): string | undefined =>
  control
    .text()
    .split('\n')
    .find((each) => each.startsWith(`apiserver_flowcontrol_${text}`));
const labels = 'flow_schema="global-default",priority_level="global-default"';

test('where there is a seat nobody waits, not even for a moment', () => {
  const access = accessOf('jane');
  expect(control.enter(control.classify(access), { access, signal: never })).not.toBeInstanceOf(Promise);
});

test('a seat that becomes free goes to whoever waits, once', async () => {
  const [first, ...others] = await fill('jane');
  const waiting = enter('joe');
  expect(line(`current_inqueue_requests{${labels}}`)).toMatch(/ 2$/);
  first?.leave();
  first?.leave();
  await clock.advance(1_000);
  // Of jane one waited before.
  expect(line(`current_inqueue_requests{${labels}}`)).toMatch(/ 1$/);
  others[0]?.leave();
  await clock.advance(0);
  (await waiting).leave();
});

describe('a request waits', () => {
  const outcome = (entering: Promise<Place>): Promise<string> =>
    entering.then(
      () => 'runs',
      (error: unknown) => (isStatusError(error, 'TooManyRequests') ? 'refused' : String(error)),
    );

  test('fifteen seconds at most', async () => {
    await fill('jane');
    const waiting = outcome(enter('joe'));
    await clock.advance(15_000);
    expect(await waiting).toBe('refused');
    expect(line(`rejected_requests_total{${labels},reason="time-out"}`)).toMatch(/ 2$/);
    expect(line(`request_wait_duration_seconds_sum{execute="false",${labels}}`)).toMatch(/ 30$/);
    expect(line(`current_inqueue_requests{${labels}}`)).toMatch(/ 0$/);
  });

  test('no longer than its client', async () => {
    await fill('jane');
    const gone = new AbortController();
    const waiting = outcome(enter('joe', gone.signal));
    gone.abort(new Error('gone'));
    expect(await waiting).toBe('refused');
    const late = outcome(enter('joe', gone.signal));
    expect(await late).toBe('refused');
    expect(line(`rejected_requests_total{${labels},reason="cancelled"}`)).toMatch(/ 2$/);
  });

  test('with fifty of its flow at most, and is told when to come again', async () => {
    await fill('jane');
    for (let index = 1; index < 50; index++) void outcome(enter('jane'));
    const error: unknown = await enter('jane').catch((refused: unknown) => refused);
    expect(isStatusError(error, 'TooManyRequests') && error.status).toMatchObject({
      code: 429,
      message: 'Too many requests, please try again later.',
      details: { retryAfterSeconds: 1 },
    });
    await clock.advance(0);
    expect(line(`current_inqueue_requests{${labels}}`)).toMatch(/ 50$/);
  });

  test('until a change of the objects makes room', async () => {
    await fill('jane');
    const waiting = outcome(enter('joe'));
    const more = builtinLevels.map((level) =>
      level.metadata.name === 'global-default'
        ? { ...level, spec: { ...level.spec, limited: { ...level.spec.limited, nominalConcurrencyShares: 5_000 } } }
        : level,
    );
    Object.assign(objects, { state: {}, levels: () => more });
    control.classify(accessOf('anybody'));
    expect(await waiting).toBe('runs');
  });
});

test('whoever is exempt runs beside a full server', async () => {
  await fill('jane');
  const access: Access = { ...accessOf('admin'), user: authenticated({ name: 'admin', groups: [groups.masters] }) };
  const entered = control.enter(control.classify(access), { access, signal: never });
  expect(entered).not.toBeInstanceOf(Promise);
  expect(line('dispatched_requests_total{flow_schema="exempt",priority_level="exempt"}')).toMatch(/ 1$/);
});

test('the tables have upstream’s columns, and what runs and waits', async () => {
  await fill('jane');
  void enter('joe').catch(() => undefined);
  const rows = (text: string): readonly (readonly string[])[] =>
    text
      .trim()
      .split('\n')
      .map((row) => row.split(',').map((cell) => cell.trim()));
  const [head, ...levels] = rows(control.dumps.levels());
  expect(head).toEqual([
    ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests', 'ExecutingRequests'],
    ...['DispatchedRequests', 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests'],
  ]);
  expect(levels.map(([name]) => name)).toEqual(builtinLevels.map(({ metadata }) => metadata.name).sort());
  expect(levels.find(([name]) => name === 'global-default')).toEqual(
    'global-default,2,false,false,2,1,1,0,0,0'.split(','),
  );
  expect(rows(control.dumps.queues()).slice(1)).toEqual([
    ['global-default', '0', '1', '1', '1'],
    ['global-default', '1', '1', '0', '0'],
  ]);
  const requests = rows(control.dumps.requests({ hasDetails: true }));
  expect(requests.slice(1).map((row) => [...row.slice(0, 5), ...row.slice(7)])).toEqual([
    ['global-default', 'global-default', '0', '0', 'jane', 'jane', 'get', '', 'shop', '', 'pods'],
    ['global-default', 'global-default', '1', '0', 'joe', 'joe', 'get', '', 'shop', '', 'pods'],
    ['global-default', 'global-default', '-1', '-1', 'jane', 'jane', 'get', '', 'shop', '', 'pods'],
  ]);
});
