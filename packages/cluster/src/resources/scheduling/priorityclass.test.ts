import { expect, test } from 'vitest';
import { created, createIssues, row, updateIssues } from '../../testing/resources/judge.ts';
import { builtinPriorityClasses, priorityclassDefinition as definition } from './priorityclass.ts';

test('the built-in classes are valid as they stand', () => {
  expect(builtinPriorityClasses.map(({ metadata, value }) => [metadata.name, value])).toEqual([
    ['system-cluster-critical', 2_000_000_000],
    ['system-node-critical', 2_000_001_000],
  ]);
  for (const builtin of builtinPriorityClasses) expect(createIssues(definition, { ...builtin })).toEqual([]);
});

test('a class that is not the default does not say so, as upstream leaves it out', () => {
  expect(created(definition, { value: 1, globalDefault: false })).not.toHaveProperty('globalDefault');
  expect(created(definition, { value: 1, globalDefault: true }).globalDefault).toBe(true);
});

test('a class preempts unless it says otherwise', () => {
  expect(created(definition, { value: 1 }).preemptionPolicy).toBe('PreemptLowerPriority');
  expect(created(definition, { value: 1, preemptionPolicy: 'Never' }).preemptionPolicy).toBe('Never');
});

test.each([
  [{ value: 1_000_000_000 }, []],
  [{ value: -5 }, []],
  [{ value: 1_000_000_001 }, ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000']],
  [
    { value: 1, preemptionPolicy: 'Maybe' },
    ['preemptionPolicy: Unsupported value: "Maybe": supported values: "PreemptLowerPriority", "Never"'],
  ],
  [
    { value: 1, metadata: { name: 'system-mine' } },
    [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    ],
  ],
  [
    { value: 1, metadata: { name: 'system-node-critical' } },
    [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: value of system-node-critical PriorityClass must be 2000001000",
    ],
  ],
])('%j', (body, expected) => expect(createIssues(definition, body)).toEqual(expected));

test('value and policy stay', () => {
  expect(updateIssues(definition, { before: { value: 1 }, after: { value: 2, preemptionPolicy: 'Never' } })).toEqual([
    'value: Forbidden: may not be changed in an update.',
    'preemptionPolicy: Invalid value: "Never": field is immutable',
  ]);
  expect(updateIssues(definition, { before: { value: 1 }, after: { value: 1, description: 'x' } })).toEqual([]);
});

test('the policy stands behind the age', () => {
  expect(Object.entries(row(definition, { value: 7, globalDefault: true, preemptionPolicy: 'Never' }))).toEqual([
    ['Name', 'web'],
    ['Value', 7],
    ['Global-Default', true],
    ['Age', '5m'],
    ['PreemptionPolicy', 'Never'],
  ]);
});
