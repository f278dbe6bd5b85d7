import { expect, test } from 'vitest';
import { compareVersions, formatVersion, isAtLeast, labelNamesOf, parseVersion, type Version } from './version.ts';

const version = (text: string): Version => {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
};

test.each([
  ['v3.13.2', '3.13.2'],
  ['2.45.0', '2.45.0'],
  ['v2.45', '2.45.0'],
  ['v3', '3.0.0'],
  ['v3.0.0-rc.1', '3.0.0-rc.1'],
  ['v2.45.0+ds', '2.45.0+ds'],
  [' v2.45.0 ', '2.45.0'],
  ['1.8.2', undefined],
  ['4.0.0', undefined],
  ['latest', undefined],
  ['', undefined],
  ['3.1.x', undefined],
  ['3.1-rc.0', undefined],
  ['3.1.0-', undefined],
])('%j is read as %j', (text, expected) => {
  const parsed = parseVersion(text);
  expect(parsed && formatVersion(parsed)).toBe(expected);
});

test.each([
  ['2.45.6', '2.45', true],
  ['2.45.6', '2.46', false],
  ['2.45.6', '2.9', true],
  ['2.45.6', '3.0', false],
  ['3.0.0', '2.99', true],
  ['3.0.0-rc.1', '3.0', false],
  ['3.0.0-rc.1', '3.0.0-rc.0', true],
  ['3.0.0-beta.1', '3.0.0-rc.0', false],
  ['3.0.1-rc.0', '3.0', true],
])('%s is at least %s: %s', (text, minimum, expected) => {
  expect(isAtLeast(version(text), minimum)).toBe(expected);
});

test('pre-releases stand in the order of semver.org', () => {
  const ordered = ['alpha', 'alpha.1', 'alpha.beta', 'beta', 'beta.2', 'beta.11', 'rc.1'].map((pre) => `3.0.0-${pre}`);
  const all = [...ordered, '3.0.0'].map(version);
  expect([...all].reverse().sort(compareVersions)).toEqual(all);
});

test.each([
  ['3.0.0', undefined, 'utf8'],
  ['3.13.1', 'UTF8', 'utf8'],
  ['3.13.1', 'Legacy', 'legacy'],
  ['3.0.0-rc.1', undefined, 'legacy'],
  ['2.55.1', 'UTF8', 'legacy'],
])('labels of Prometheus %s with the scheme %s are named as %s', (text, scheme, expected) => {
  expect(labelNamesOf(version(text), scheme)).toBe(expected);
});
