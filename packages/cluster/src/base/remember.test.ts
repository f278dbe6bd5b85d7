import { expect, test } from 'vitest';
import { remember } from './remember.ts';

test('answers what the function answers, and asks it once for a text that comes again', () => {
  const asked: string[] = [];
  const upper = remember((text) => {
    asked.push(text);
    return text.toUpperCase();
  });
  expect(['a', 'b', 'a', 'b'].map(upper)).toEqual(['A', 'B', 'A', 'B']);
  expect(asked).toEqual(['a', 'b']);
});

test('keeps no more answers than it may', () => {
  const asked: string[] = [];
  const length = remember((text) => asked.push(text), 2);
  for (const text of ['a', 'b', 'c', 'a']) length(text);
  expect(asked).toEqual(['a', 'b', 'c', 'a']);
});
