import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createAnswersUnderWay } from './answers-under-way.ts';
import { type Answer, bytesAnswer, piecesAnswer } from './codec/answer.ts';

class Response extends EventEmitter {
  isDestroyed = false;
  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
}

const large = (): Answer => bytesAnswer(200, Buffer.alloc(100 * 1024), {});

test('large answers that nobody takes are bounded together, small ones go out', () => {
  const answers = createAnswersUnderWay({ bytesMax: 250 * 1024, hold: undefined });
  const responses = [new Response(), new Response(), new Response()] as const;
  const codes = responses.map((response) => answers.admit(large(), response, 'GET').code);
  expect(codes).toEqual([200, 200, 429]);
  expect(answers.admit(bytesAnswer(200, Buffer.alloc(1024), {}), new Response(), 'GET').code).toBe(200);
  responses[0].emit('close');
  expect(answers.admit(large(), new Response(), 'GET').code).toBe(200);
});

test('one answer alone always goes out, and lists that are made for one client count', () => {
  const answers = createAnswersUnderWay({ bytesMax: 90 * 1024, hold: undefined });
  const made = (): Answer => piecesAnswer(200, { pieces: [], revision: undefined, heldBytes: 80 * 1024 }, {});
  const alone = new Response();
  expect(answers.admit(large(), alone, 'GET').code).toBe(200);
  expect(answers.admit(made(), new Response(), 'GET').code).toBe(429);
  alone.emit('close');
  expect(answers.admit(made(), new Response(), 'GET').code).toBe(200);
  expect(answers.admit(made(), new Response(), 'GET').code).toBe(429);
});

test('a write is refused before it is done, and never afterwards', () => {
  const answers = createAnswersUnderWay({ bytesMax: 150 * 1024, hold: undefined });
  const [first, second] = [new Response(), new Response()];
  expect(answers.refusal('PATCH')).toBeUndefined();
  expect(answers.admit(large(), first, 'PATCH').code).toBe(200);
  expect(answers.refusal('PATCH')).toBeUndefined();
  expect(answers.admit(large(), second, 'PATCH').code).toBe(200);
  expect(answers.refusal('PATCH')).toMatchObject({ code: 429, reason: 'TooManyRequests' });
  expect(answers.refusal('GET')).toBeUndefined();
  first.emit('close');
  expect(answers.refusal('PATCH')).toBeUndefined();
});

test('a list on its way breaks off when its past is taken, and lets go of it at its end', () => {
  const held: { readonly revision: number; readonly letGo: () => void }[] = [];
  let released = 0;
  const answers = createAnswersUnderWay({
    bytesMax: 1,
    hold: (revision, letGo) => {
      held.push({ revision, letGo });
      return () => {
        released += 1;
      };
    },
  });
  const [slow, quick] = [new Response(), new Response()];
  for (const response of [slow, quick])
    answers.admit(piecesAnswer(200, { pieces: [], revision: 7, heldBytes: 0 }, {}), response, 'GET');
  expect(held.map(({ revision }) => revision)).toEqual([7, 7]);
  quick.emit('close');
  expect(released).toBe(1);
  held[0]?.letGo();
  expect([slow.isDestroyed, quick.isDestroyed, released]).toEqual([true, false, 2]);
});
