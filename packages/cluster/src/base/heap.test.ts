import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHeap } from './heap.ts';

test('items leave in order, whatever order they came in', () =>
  fc.assert(
    fc.property(fc.array(fc.integer()), (numbers) => {
      const heap = createHeap<number>((a, b) => a < b);
      for (const number of numbers) heap.push(number);
      const left = Array.from({ length: numbers.length }, () => heap.pop());
      expect(left).toEqual([...numbers].sort((a, b) => a - b));
    }),
  ));

test('an empty heap has nothing to give', () => {
  const heap = createHeap<number>((a, b) => a < b);
  expect([heap.size, heap.peek(), heap.pop()]).toEqual([0, undefined, undefined]);
});
