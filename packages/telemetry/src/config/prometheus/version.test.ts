import { expect, test } from 'vitest';
import { formatVersion, isAtLeast, parseVersion } from './version.ts';

test.each([
  ['v3.13.2', '3.13.2'],
  ['2.45.0', '2.45.0'],
  ['v2.45', '2.45.0'],
  ['v3.0.0-rc.1', '3.0.0'],
  ['v2.45.0+ds', '2.45.0'],
  ['1.8.2', undefined],
  ['4.0.0', undefined],
  ['latest', undefined],
  ['v3', undefined],
  ['', undefined],
  ['3.1.x', undefined],
])('%j is read as %j', (text, expected) => {
  const version = parseVersion(text);
  expect(version && formatVersion(version)).toBe(expected);
});

test.each([
  ['2.45', true],
  ['2.46', false],
  ['2.9', true],
  ['3.0', false],
  ['1.99', true],
])('2.45.6 is at least %s: %s', (minimum, expected) => {
  expect(isAtLeast([2, 45, 6], minimum)).toBe(expected);
});

test('a new major version has everything of the one before', () => {
  expect(isAtLeast([3, 0, 0], '2.99')).toBe(true);
});
