import fc from 'fast-check';
import { expect, test } from 'vitest';
import { conditionOf, datedCondition, mergeConditions } from './conditions.ts';

const then = '2026-01-01T00:00:00Z';
const now = '2026-01-01T00:01:00Z';

const ready = { type: 'Ready', status: 'True', reason: 'AllFine', lastTransitionTime: then };
const other = { type: 'Other', status: 'False', lastTransitionTime: then };

test('a status that stays keeps its time, whatever the reason', () => {
  const said = { type: 'Ready', status: 'True', reason: 'StillFine' };
  expect(mergeConditions([ready, other], [said], now)).toEqual([{ ...said, lastTransitionTime: then }, other]);
});

test('a status that changes gets the time of now, in the same place', () => {
  const said = { type: 'Ready', status: 'False' };
  expect(mergeConditions([ready, other], [said], now)).toEqual([{ ...said, lastTransitionTime: now }, other]);
});

test('what is new stands at the end', () => {
  const said = { type: 'New', status: 'True' };
  expect(mergeConditions([ready], [said], now)).toEqual([ready, { ...said, lastTransitionTime: now }]);
  expect(mergeConditions(undefined, [said], now)).toEqual([{ ...said, lastTransitionTime: now }]);
});

test('the last word about a type counts, and the time that is said does not', () => {
  const first = { type: 'Ready', status: 'False', lastTransitionTime: 'never' };
  const last = { type: 'Ready', status: 'True', lastTransitionTime: 'never' };
  expect(mergeConditions([ready], [first, last], now)).toEqual([{ ...last, lastTransitionTime: then }]);
});

test('what stands there as it is said is not made anew, and counts as the last word too', () => {
  const { lastTransitionTime: _then, ...said } = ready;
  expect(mergeConditions([ready], [said], now)[0]).toBe(ready);
  expect(mergeConditions([ready], [{ ...said, status: 'False' }, said], now)[0]).toBe(ready);
  const { reason: _reason, ...less } = said;
  expect(mergeConditions([ready], [less], now)).toEqual([{ ...less, lastTransitionTime: then }]);
});

test('a condition without a time gets one', () => {
  expect(datedCondition(other, { before: [{ type: 'Other', status: 'False' }], now })).toEqual({
    ...other,
    lastTransitionTime: now,
  });
});

test('nothing said about a type', () => {
  expect(conditionOf([ready], 'Other')).toBeUndefined();
  expect(conditionOf(undefined, 'Ready')).toBeUndefined();
  expect(conditionOf([other, ready], 'Ready')).toBe(ready);
});

const anyCondition = fc.record({
  type: fc.constantFrom('A', 'B', 'C'),
  status: fc.constantFrom('True', 'False', 'Unknown'),
});

test('saying the same again changes nothing', () => {
  fc.assert(
    fc.property(fc.array(anyCondition), fc.array(anyCondition), (before, said) => {
      const once = mergeConditions(mergeConditions([], before, then), said, now);
      expect(mergeConditions(once, said, 'later')).toEqual(once);
    }),
  );
});
