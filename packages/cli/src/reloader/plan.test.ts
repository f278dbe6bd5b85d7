import { expect, test } from 'vitest';
import type { Look } from './look.ts';
import { type Ending, type Memory, next, nothingKnown, plan } from './plan.ts';

const intervals = { watchIntervalMs: 180_000, retryIntervalMs: 5_000 };
const loaded: Memory = { loadedSum: 'a', seenSum: 'a', failures: 0 };

function seen(sum: string, { isWritten = true, unset = [] as readonly string[] } = {}): Look {
  return { sum, config: { sum, output: { sum, unset }, unwritten: isWritten ? undefined : Buffer.from(sum) } };
}

test.each<[string, Look, Memory, number, readonly string[]]>([
  ['at the start', seen('a', { isWritten: false }), nothingKnown, 180_000, ['write', 'reload']],
  ['at a start after a crash', seen('a'), nothingKnown, 180_000, ['reload']],
  ['as an init container', seen('a', { isWritten: false }), nothingKnown, 0, ['write']],
  ['nothing has changed', seen('a'), loaded, 180_000, []],
  ['something has changed', seen('b', { isWritten: false }), loaded, 180_000, ['write', 'reload']],
  ['only a watched folder has changed', seen('b'), loaded, 180_000, ['reload']],
  ['somebody has changed the output', seen('a', { isWritten: false }), loaded, 180_000, ['write']],
  [
    'there is no output',
    { sum: 'b', config: { sum: 'b', output: undefined, unwritten: undefined } },
    loaded,
    180_000,
    ['reload'],
  ],
  ['variables have no value', seen('b', { unset: ['X'] }), loaded, 180_000, ['warn of unset', 'reload']],
  ['they still have none', seen('a', { unset: ['X'] }), loaded, 180_000, []],
  ['a reload has failed', seen('a'), { ...loaded, loadedSum: undefined }, 180_000, ['reload']],
])('%s', (_, look, memory, watchIntervalMs, expected) => {
  expect(plan(look, memory, { ...intervals, watchIntervalMs }).map(({ type }) => type)).toEqual(expected);
});

test.each<[string, Ending, Memory, Memory, number]>([
  ['all went well', { type: 'applied', sum: 'b' }, loaded, { loadedSum: 'b', seenSum: 'b', failures: 0 }, 180_000],
  [
    'the reload failed: nobody knows what it has',
    { type: 'reload failed', sum: 'b' },
    loaded,
    { loadedSum: undefined, seenSum: 'b', failures: 0 },
    5_000,
  ],
  ['a look failed', { type: 'failed' }, loaded, { ...loaded, failures: 1 }, 5_000],
  ['it failed again', { type: 'failed' }, { ...loaded, failures: 2 }, { ...loaded, failures: 3 }, 20_000],
  ['it fails for ever', { type: 'failed' }, { ...loaded, failures: 50 }, { ...loaded, failures: 51 }, 180_000],
  ['it failed, and is well', { type: 'applied', sum: 'a' }, { ...loaded, failures: 2 }, loaded, 180_000],
])('next: %s', (_, ending, memory, expected, againInMs) => {
  expect(next(ending, memory, intervals)).toEqual({ memory: expected, againInMs });
});

test('applying a plan leaves nothing to plan', () => {
  const { memory } = next({ type: 'applied', sum: 'b' }, loaded, intervals);
  expect(plan(seen('b'), memory, intervals)).toEqual([]);
});
