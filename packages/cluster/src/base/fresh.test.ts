import { expect, test } from 'vitest';
import { createIsSameClass } from '../testing/hidden-classes.ts';
import { fresh } from './fresh.ts';

const isSameClass = createIsSameClass();

interface Said {
  readonly type: string;
  readonly status: string;
}

/** How many hidden classes many copies of one form have. */
function classesOf(copy: (said: Said) => object): number {
  const copies: object[] = [];
  for (let index = 0; index < 200; index++)
    copies.push(Object.freeze(copy({ type: `t${index}`, status: `s${index}` })));
  let count = 1;
  for (let index = 1; index < copies.length; index++)
    if (!isSameClass(copies[index] as object, copies[index - 1] as object)) count += 1;
  return count;
}

test('copies that begin fresh are of one hidden class, whatever is added to them or said anew', () => {
  expect(classesOf((said) => ({ ...fresh, ...said, time: 'now' }))).toBeLessThan(5);
  expect(classesOf((said) => ({ ...fresh, ...said, status: 'True' }))).toBeLessThan(5);
  expect(classesOf((said) => ({ time: 'now', ...said }))).toBeLessThan(5);
});

test('nothing is added to what is copied', () => {
  expect(Object.keys({ ...fresh, ...{ type: 'Ready' }, status: 'True' })).toEqual(['type', 'status']);
});

test.runIf(process.versions.node.startsWith('20.'))('on Node.js 20 other copies are of a class each', () => {
  expect(classesOf((said) => ({ ...said, time: 'now' }))).toBeGreaterThan(100);
});
