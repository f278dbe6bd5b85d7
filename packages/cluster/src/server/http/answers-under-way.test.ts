import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, test } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import { type AnswersUnderWay, createAnswersUnderWay } from './answers-under-way.ts';
import { type Answer, bytesAnswer, piecesAnswer } from './codec/answer.ts';

class Response extends EventEmitter {
  isDestroyed = false;
  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
}

const kibibyte = 1024;
let clock: VirtualClock;
let answers: AnswersUnderWay;

beforeEach(() => {
  clock = createVirtualClock();
  answers = createAnswersUnderWay({ bytesMax: 400 * kibibyte, hold: undefined, clock });
});

const large = (of: string, kibibytes = 100): Answer => ({
  ...bytesAnswer(200, Buffer.alloc(kibibytes * kibibyte), {}),
  of,
});

interface Sent {
  readonly response: Response;
  /** The code that it is answered with; undefined while it waits. */
  code: number | undefined;
}

function send(answer: Answer, method = 'GET'): Sent {
  const response = new Response();
  const sent: Sent = { response, code: undefined };
  const admitted = answers.admit(answer, response, method);
  if (admitted instanceof Promise)
    void admitted.then(({ code }) => {
      sent.code = code;
    });
  else sent.code = admitted.code;
  return sent;
}

describe('large answers', () => {
  test('are bounded together: the next waits until one is taken', async () => {
    const all = ['a', 'b', 'c', 'd', 'e'].map((user) => send(large(user)));
    expect(all.map(({ code }) => code)).toEqual([200, 200, 200, 200, undefined]);
    expect(send(bytesAnswer(200, Buffer.alloc(kibibyte), {})).code).toBe(200);
    all[1]?.response.emit('close');
    await clock.advance(0);
    expect(all[4]?.code).toBe(200);
  });

  test('of one user take half, and wait for themselves alone', async () => {
    const own = [1, 2, 3].map(() => send(large('greedy')));
    expect(own.map(({ code }) => code)).toEqual([200, 200, undefined]);
    const other = send(large('jane'));
    await clock.advance(0);
    expect([own[2]?.code, other.code]).toEqual([undefined, 200]);
    own[0]?.response.emit('close');
    await clock.advance(0);
    expect(own[2]?.code).toBe(200);
  });

  test('of users who wait come by turns', async () => {
    const first = ['a', 'b', 'c', 'd'].map((user) => send(large(user)));
    const waiting = ['a', 'a', 'a', 'e'].map((user) => send(large(user)));
    first[1]?.response.emit('close');
    first[2]?.response.emit('close');
    await clock.advance(0);
    expect(waiting.map(({ code }) => code)).toEqual([200, undefined, undefined, 200]);
  });

  test('alone are never too much', () => {
    expect(send(large('a', 900)).code).toBe(200);
    expect(send(large('b')).code).toBeUndefined();
  });

  test('that are next wait for their room, and smaller ones with them', async () => {
    const first = [send(large('a')), send(large('b')), send(large('c'))];
    const [big, small] = [send(large('d', 200)), send(large('e', 80))];
    expect([big.code, small.code]).toEqual([undefined, undefined]);
    first[0]?.response.emit('close');
    await clock.advance(0);
    expect([big.code, small.code]).toEqual([200, undefined]);
  });
});

describe('whoever waits', () => {
  beforeEach(() => {
    for (const user of ['a', 'b', 'c', 'd']) send(large(user));
  });

  test('has few with it: of a user twenty, of all a hundred', async () => {
    const own = Array.from({ length: 21 }, () => send(large('e')));
    await clock.advance(0);
    expect(own.map(({ code }) => code)).toEqual([...Array.from({ length: 20 }, () => undefined), 429]);
    const others = Array.from({ length: 81 }, (_, index) => send(large(`user-${index}`)));
    expect(others.at(-1)?.code).toBe(429);
    expect(others.at(-2)?.code).toBeUndefined();
  });

  test('and goes away leaves its place', async () => {
    const [gone, next] = [send(large('e')), send(large('e'))];
    gone.response.emit('close');
    await clock.advance(0);
    expect([gone.code, next.code]).toEqual([429, undefined]);
  });
});

test('whoever waits while others come and go is told after a quarter of a minute to come again', async () => {
  const busy = (untilMs: number): void => {
    const sent = send(large('busy', 400), 'POST');
    clock.after(5_000, () => sent.response.emit('close'));
    if (clock.nowMs() < untilMs) clock.after(4_000, () => busy(untilMs));
  };
  busy(clock.nowMs() + 20_000);
  const sent = send(large('e'));
  await clock.advance(14_999);
  expect(sent.code).toBeUndefined();
  await clock.advance(1);
  expect(sent.code).toBe(429);
});

test('where somebody waits, the oldest of the user who has most is cut off after ten seconds', async () => {
  const [jane, greedy, second] = [send(large('jane')), send(large('greedy')), send(large('greedy'))];
  const third = send(large('other'));
  const waiting = send(large('e'));
  await clock.advance(9_000);
  expect([jane, greedy, second, third].some(({ response }) => response.isDestroyed)).toBe(false);
  await clock.advance(1_000);
  expect([jane, greedy, second, third].map(({ response }) => response.isDestroyed)).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect(waiting.code).toBe(200);
  await clock.advance(60_000);
  // Nobody waits, so whoever is slow may be.
  expect([jane, second, third].some(({ response }) => response.isDestroyed)).toBe(false);
});

test('a write is refused before it is done, and never afterwards', () => {
  const sent = [1, 2, 3, 4].map(() => send(large('a'), 'PATCH'));
  expect(sent.map(({ code }) => code)).toEqual([200, 200, 200, 200]);
  expect(send(large('a'), 'PATCH').code).toBe(200);
  expect(answers.refusal('PATCH')).toMatchObject({ code: 429, reason: 'TooManyRequests' });
  expect(answers.refusal('GET')).toBeUndefined();
  sent[0]?.response.emit('close');
  sent[1]?.response.emit('close');
  expect(answers.refusal('PATCH')).toBeUndefined();
});

test('a list on its way breaks off when its past is taken, and lets go of it at its end', () => {
  const held: { readonly revision: number; readonly letGo: () => void }[] = [];
  let released = 0;
  const hold = (revision: number, letGo: () => void): (() => void) => {
    held.push({ revision, letGo });
    return () => {
      released += 1;
    };
  };
  answers = createAnswersUnderWay({ bytesMax: 1, clock, hold });
  const [slow, quick] = [1, 2].map(() => send(piecesAnswer(200, { pieces: [], revision: 7, heldBytes: 0 }, {})));
  expect(held.map(({ revision }) => revision)).toEqual([7, 7]);
  quick?.response.emit('close');
  expect(released).toBe(1);
  held[0]?.letGo();
  expect([slow?.response.isDestroyed, quick?.response.isDestroyed, released]).toEqual([true, false, 2]);
});
