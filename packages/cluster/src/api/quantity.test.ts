import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  canonicalQuantity,
  formatBinary,
  formatMilli,
  formatQuantity,
  milliValue,
  parseQuantity,
  wholeValue,
} from './quantity.ts';

const unit = 1_000_000_000n;

test.each<[string | number, bigint]>([
  ['0', 0n],
  ['1', unit],
  [1, unit],
  [0.1, unit / 10n],
  ['100m', unit / 10n],
  ['1u', 1_000n],
  ['7n', 7n],
  ['1k', 1_000n * unit],
  ['1M', 1_000_000n * unit],
  ['1Ki', 1_024n * unit],
  ['1.5Gi', 1_610_612_736n * unit],
  ['1Ei', 2n ** 60n * unit],
  ['1E', 10n ** 18n * unit],
  ['1e3', 1_000n * unit],
  ['1E3', 1_000n * unit],
  ['12e-3', 12_000_000n],
  ['+5', 5n * unit],
  ['-5', -5n * unit],
  ['.5', unit / 2n],
  ['5.', 5n * unit],
])('%s is read exactly', (text, nano) => {
  expect(parseQuantity(text)).toBe(nano);
});

test.each(['', '.', '1Kii', '1 Gi', '1e', '0x10', 'NaN', '１', '1mi', 'm', '--1', '1.2.3', 'Ki', '1K', '1e1000'])(
  '%j is no quantity',
  (text) => {
    expect(parseQuantity(text)).toBeUndefined();
    expect(canonicalQuantity(text)).toBeUndefined();
  },
);

test('a text of ten thousand digits is refused without computing it', () => {
  expect(parseQuantity('9'.repeat(10_000))).toBeUndefined();
});

test('what is finer than nano is rounded away from zero', () => {
  expect(parseQuantity('0.0000000001')).toBe(1n);
  expect(parseQuantity('-1e-12')).toBe(-1n);
});

test('amounts are capped where upstream caps them', () => {
  expect(parseQuantity('1e30')).toBe((2n ** 63n - 1n) * unit);
  expect(parseQuantity('-100E')).toBe(-(2n ** 63n - 1n) * unit);
});

test('counting rounds up', () => {
  expect(milliValue('1')).toBe(1_000);
  expect(milliValue('1u')).toBe(1);
  expect(milliValue(2)).toBe(2_000);
  expect(wholeValue('1500m')).toBe(2);
  expect(wholeValue('1Gi')).toBe(1_073_741_824);
});

test('counting something else is a bug, not a zero', () => {
  expect(() => milliValue('lots')).toThrow('quantities are checked');
});

test.each<[string | number, string]>([
  ['0.1', '100m'],
  ['1000m', '1'],
  ['1000', '1k'],
  ['1500', '1500'],
  ['1024Mi', '1Gi'],
  ['1536Mi', '1536Mi'],
  ['0.5Gi', '512Mi'],
  ['512', '512'],
  ['0.5Ki', '512'],
  ['1.5Ki', '1536'],
  ['0.0001Ki', '102400u'],
  ['129e6', '129e6'],
  ['1E3', '1e3'],
  ['0', '0'],
  ['0Gi', '0'],
  [2, '2'],
  [0.25, '250m'],
  ['-1024', '-1024'],
])('%s is shown as %s', (text, shown) => {
  expect(canonicalQuantity(text)).toBe(shown);
});

test('amounts of the system have their usual forms', () => {
  expect([formatMilli(1_500), formatMilli(2_000), formatMilli(0)]).toEqual(['1500m', '2', '0']);
  expect([formatBinary(1_073_741_824), formatBinary(123), formatBinary(1_000_000)]).toEqual(['1Gi', '123', '1000000']);
});

test('formatting and reading again changes nothing', () =>
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
      fc.constantFrom('1', '1Ki', '1e3'),
      (nano, like) => parseQuantity(formatQuantity(nano, like)) === nano,
    ),
  ));

test('the canonical form keeps the value and settles', () =>
  fc.assert(
    fc.property(fc.stringMatching(/^-?\d{1,6}(\.\d{1,3})?(Ki|Mi|m|k|M|e3)?$/), (text) => {
      const once = canonicalQuantity(text);
      expect(once).toBeDefined();
      expect(parseQuantity(once ?? '')).toBe(parseQuantity(text));
      // 937.5Ki is no whole number of Ki: it loses its suffix, and with it the family that the next reading goes by.
      const twice = canonicalQuantity(once ?? '');
      expect(parseQuantity(twice ?? '')).toBe(parseQuantity(text));
      expect(canonicalQuantity(twice ?? '')).toBe(twice);
      if (/[a-z]/i.test(once ?? '')) expect(twice).toBe(once);
    }),
  ));

test('no text makes it throw', () => fc.assert(fc.property(fc.string(), (text) => parseQuantity(text) !== null)));
