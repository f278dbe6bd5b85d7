import { expect, test } from 'vitest';
import { freeze } from '../../../base/freeze.ts';
import { createEncodings } from './encodings.ts';

const createOnes = (): ReturnType<typeof createEncodings> => createEncodings({ generationBytesMax: 1_000 });

test('what was made of an object elsewhere is shown, and kept', () => {
  const encodings = createOnes();
  const object = freeze({ a: 1 });
  const json = Buffer.from('{"a":1}');
  expect(encodings.json(object, { object, json })).toBe(json);
  expect(encodings.json(object)).toBe(json);
});

test('what was made of another object is not shown', () => {
  const object = freeze({ a: 1 });
  const made = { object: freeze({ a: 2 }), json: Buffer.from('{"a":2}') };
  expect(createOnes().json(object, made).toString()).toBe('{"a":1}');
});
