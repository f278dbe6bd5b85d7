import { expect, test } from 'vitest';
import { processesMaxOf, readMachine } from './machine.ts';

test.each([
  [32_768, 2_048],
  [4_194_304, 4_096],
])('of %i processes one container may have %i', (processes, most) => {
  expect(processesMaxOf({ processes })).toBe(most);
});

test('this machine can hold some', () => {
  expect(readMachine('/').processes).toBeGreaterThan(300);
});
