import { expect, test } from 'vitest';
import { created, createIssues, row } from '../../testing/resources/judge.ts';
import { poddisruptionbudgetDefinition as definition } from './poddisruptionbudget.ts';

test.each<[object, readonly string[]]>([
  [{ minAvailable: 1 }, []],
  [{ maxUnavailable: '50%' }, []],
  [
    { minAvailable: 1, maxUnavailable: 1 },
    ['spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set'],
  ],
  [{ minAvailable: -1 }, ['spec.minAvailable: Invalid value: -1: must be greater than or equal to 0']],
  [{ minAvailable: '101%' }, ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%']],
  [
    { unhealthyPodEvictionPolicy: 'X' },
    ['spec.unhealthyPodEvictionPolicy: Unsupported value: "X": supported values: "AlwaysAllow", "IfHealthyBudget"'],
  ],
])('%j', (spec, expected) => expect(createIssues(definition, { spec })).toEqual(expected));

test('a fraction of a percent is none', () => {
  expect(createIssues(definition, { spec: { minAvailable: '5.5%' } })[0]).toContain('a valid percent string must be');
});

test('a new budget allows nothing yet', () => {
  expect(created(definition, { spec: {}, status: { disruptionsAllowed: 9 } }).status.disruptionsAllowed).toBe(0);
});

test('columns', () => {
  expect(row(definition, { spec: { minAvailable: 0 }, status: { disruptionsAllowed: 2 } })).toEqual({
    'Min Available': '0',
    'Max Unavailable': 'N/A',
    'Allowed Disruptions': 2,
  });
});
