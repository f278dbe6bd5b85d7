import { expect, test } from 'vitest';
import type { Event } from '../api/generated/core-v1.ts';
import type { Operation, Outcome } from '../api/operation.ts';
import { failure, notFound, StatusError } from '../api/status.ts';
import { sleep } from '../base/clock.ts';
import { seededRandom } from '../base/random.ts';
import { createClient } from '../client/create-client.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { createVirtualClock, type VirtualClock } from '../testing/virtual-clock.ts';
import { createEventRecorder, type EventRecorder } from './events.ts';

interface SetUp {
  readonly clock: VirtualClock;
  readonly recorder: EventRecorder;
  readonly created: Event[];
  readonly patched: unknown[];
}

function setUp({ refuses = false, forgets = false, takesMs = 0, apart = false } = {}): SetUp {
  const clock = createVirtualClock();
  const created: Event[] = [];
  const patched: unknown[] = [];
  const perform = async (operation: Operation): Promise<Outcome> => {
    if (takesMs > 0) await sleep(clock, takesMs, { signal: new AbortController().signal });
    if (refuses) throw new StatusError(failure(403, 'Forbidden', 'no'));
    if (operation.verb === 'create') created.push(operation.body as Event);
    if (operation.verb === 'patch' && forgets)
      throw new StatusError(notFound({ group: '', resource: 'events' }, operation.name));
    if (operation.verb === 'patch') patched.push(operation.body);
    return { code: 201, object: makePod('x'), warnings: [] };
  };
  const client = createClient(
    {
      perform,
      watch: () => {
        throw new Error('nobody watches');
      },
    },
    { name: 'test', groups: [] },
  );
  const recorder = createEventRecorder({
    client,
    clock,
    random: seededRandom('events'),
    source: 'test-controller',
    apart,
  });
  void recorder.run({ signal: new AbortController().signal });
  return { clock, recorder, created, patched };
}

const pod = makePod('web', { namespace: 'shop' });
const say = (note: string, regarding = pod) => ({ regarding, type: 'Normal', reason: 'Tested', note }) as const;

test('an event names its object, its source and the moment', async () => {
  const { clock, recorder, created } = setUp();
  recorder.emit(say('hello'));
  await clock.settle();
  expect(created[0]).toMatchObject({
    metadata: { namespace: 'shop' },
    involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web', uid: 'uid-shop-web' },
    reason: 'Tested',
    message: 'hello',
    count: 1,
    firstTimestamp: '2026-01-01T00:00:00Z',
    source: { component: 'test-controller' },
  });
});

test('an event names who else has to do with it', async () => {
  const { clock, recorder, created } = setUp();
  recorder.emit({ ...say('hello'), related: makePod('vip') });
  await clock.settle();
  expect(created[0]?.related).toMatchObject({ apiVersion: 'v1', kind: 'Pod', name: 'vip', uid: 'uid-default-vip' });
});

test('names sort by time, also within a millisecond', async () => {
  const { clock, recorder, created } = setUp();
  for (const note of ['first', 'second', 'third']) recorder.emit(say(note));
  await clock.advance(1);
  recorder.emit(say('fourth'));
  await clock.settle();
  const byName = created.map(({ metadata, message }) => `${metadata.name} ${message}`).sort();
  expect(byName.map((line) => line.split(' ')[1])).toEqual(['first', 'second', 'third', 'fourth']);
  expect(created[0]?.metadata.name).toMatch(/^web\.[0-9a-f]{16}$/);
});

test('the same event again within ten minutes is counted, later it is news', async () => {
  const { clock, recorder, created, patched } = setUp();
  for (const waitMs of [0, 1_000, 300_000, 700_000]) {
    await clock.advance(waitMs);
    recorder.emit(say('again'));
    await clock.settle();
  }
  expect(created).toHaveLength(2);
  expect(patched).toEqual([
    { count: 2, lastTimestamp: '2026-01-01T00:00:01Z' },
    { count: 3, lastTimestamp: '2026-01-01T00:05:01Z' },
  ]);
});

test('of what is minor some are told at once, then twenty a second; what is not is told besides', async () => {
  const { clock, recorder, created } = setUp();
  const minor = (count: number): void => {
    for (let index = 0; index < count; index++)
      recorder.emit({ ...say('minor', makePod(`m${clock.nowMs()}-${index}`)), isMinor: true });
  };
  minor(300);
  recorder.emit(say('major'));
  await clock.advance(1_000);
  minor(300);
  await clock.settle();
  expect(created.filter(({ message }) => message === 'minor')).toHaveLength(220);
  expect(created.filter(({ message }) => message === 'major')).toHaveLength(1);
  expect(recorder.dropped).toBe(380);
});

test('after 25 about one object the rest is dropped, until five minutes give one back', async () => {
  const { clock, recorder, created } = setUp();
  for (let count = 0; count < 30; count++) recorder.emit({ ...say('hello'), reason: `Tested${count}` });
  await clock.settle();
  expect([created.length, recorder.dropped]).toEqual([25, 5]);
  recorder.emit(say('about another', makePod('other')));
  await clock.advance(300_000);
  recorder.emit(say('one more'));
  recorder.emit(say('too much'));
  await clock.settle();
  expect([created.length, recorder.dropped]).toEqual([27, 6]);
});

test('from the tenth on, those that differ in their words alone are one, in the words of the last', async () => {
  const { clock, recorder, created, patched } = setUp();
  for (let count = 1; count <= 13; count++) recorder.emit(say(`number ${count}`));
  await clock.settle();
  expect(created.map(({ message }) => message)).toEqual([
    ...Array.from({ length: 9 }, (_, index) => `number ${index + 1}`),
    '(combined from similar events): number 10',
  ]);
  expect(patched.at(-1)).toEqual({
    count: 4,
    lastTimestamp: '2026-01-01T00:00:00Z',
    message: '(combined from similar events): number 13',
  });
  // Another reason, another object, and what comes much later stand for themselves.
  recorder.emit({ ...say('a'), reason: 'Other' });
  recorder.emit(say('b', makePod('other')));
  await clock.advance(700_000);
  recorder.emit(say('c'));
  await clock.settle();
  expect(created.slice(10).map(({ message }) => message)).toEqual(['a', 'b', 'c']);
});

test('a scheduler tells each apart', async () => {
  const { clock, recorder, created } = setUp({ apart: true });
  for (let count = 1; count <= 13; count++) recorder.emit(say(`number ${count}`));
  await clock.settle();
  expect(created).toHaveLength(13);
});

test('the same twice at once is counted', async () => {
  const { clock, recorder, created, patched } = setUp({ takesMs: 5 });
  recorder.emit(say('again'));
  recorder.emit(say('again'));
  await clock.advance(100);
  expect([created.length, patched.length]).toEqual([1, 1]);
});

test('events about cluster-scoped objects go to the default namespace', async () => {
  const { clock, recorder, created } = setUp();
  recorder.emit(say('joined', makeNode('a') as never));
  await clock.settle();
  expect(created[0]?.metadata.namespace).toBe('default');
});

test('long notes are cut to what the API takes', async () => {
  const { clock, recorder, created } = setUp();
  recorder.emit(say('x'.repeat(5_000)));
  await clock.settle();
  expect(created[0]?.message).toHaveLength(1_024);
  expect(created[0]?.message).toMatch(/ \.\.\.$/);
});

test('an API that refuses events holds nobody up', async () => {
  const { clock, recorder } = setUp({ refuses: true });
  recorder.emit(say('unheard'));
  await clock.settle();
  recorder.emit(say('unheard too'));
  await clock.settle();
  expect(recorder.dropped).toBe(0);
});

test('an event that somebody deleted is told anew when it happens again', async () => {
  const { clock, recorder, created } = setUp({ forgets: true });
  for (const waitMs of [0, 1_000, 1_000]) {
    await clock.advance(waitMs);
    recorder.emit(say('again'));
    await clock.settle();
  }
  expect(created.map(({ count, lastTimestamp }) => [count, lastTimestamp])).toEqual([
    [1, '2026-01-01T00:00:00Z'],
    [1, '2026-01-01T00:00:01Z'],
    [1, '2026-01-01T00:00:02Z'],
  ]);
});

test('where writing takes its time events give way four times as long, and none is lost', async () => {
  const { clock, recorder, created } = setUp({ takesMs: 50 });
  for (let count = 0; count < 150; count++) recorder.emit(say('hello', makePod(`p${count}`)));
  const counts: number[] = [];
  for (let step = 0; step < 11; step++) {
    await clock.advance(50);
    counts.push(created.length);
  }
  expect(counts).toEqual([64, 64, 64, 64, 64, 128, 128, 128, 128, 128, 150]);
  expect([recorder.dropped, new Set(created.map(({ involvedObject: { name } }) => name)).size]).toEqual([0, 150]);
});

test('who says more than there is room for is cut off', () => {
  const { recorder } = setUp();
  const regarding = Array.from({ length: 5_000 }, (_, index) => makePod(`p${index}`));
  for (let round = 0; round < 21; round++) for (const each of regarding) recorder.emit(say(`${round}`, each));
  expect(recorder.dropped).toBe(5_000);
});

test('whose words are used up is forgotten after thousands of others, and nobody who spoke lately', () => {
  const { recorder } = setUp();
  const speak = (regarding: typeof pod, times: number): number => {
    const before = recorder.dropped;
    for (let time = 0; time < times; time++) recorder.emit(say(`${time}`, regarding));
    return recorder.dropped - before;
  };
  const [early, late] = [makePod('early'), makePod('late')];
  expect(speak(early, 26)).toBe(1);
  for (let index = 0; index < 3_000; index++) speak(makePod(`p${index}`), 1);
  expect(speak(late, 26)).toBe(1);
  for (let index = 3_000; index < 6_000; index++) speak(makePod(`p${index}`), 1);
  expect([speak(late, 1), speak(early, 1)]).toEqual([1, 0]);
});
