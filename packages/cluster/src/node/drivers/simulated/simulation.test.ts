import { expect, test } from 'vitest';
import { makePod } from '../../../testing/makers.ts';
import { createAddressPool } from './addresses.ts';
import { isUnpullable, usageOf } from './simulation.ts';

test.each([
  ['registry.invalid/team/app:1', true],
  ['invalid/app', true],
  ['registry.invalid:5000/app', true],
  ['ghcr.io/invalid:1', false],
  ['invalid', false],
  ['notinvalid/app', false],
])('%s cannot be pulled: %s', (image, expected) => {
  expect(isUnpullable(image)).toBe(expected);
});

test('a pod uses half of what it requests, or what its annotations say', () => {
  const requests = { cpu: '200m', memory: '100Mi' };
  expect(usageOf(makePod('p', requests))).toEqual({ cpuMilli: 100, memoryBytes: 50 * 1024 * 1024 });
  const annotations = { 'signalbox.dev/cpu-usage': '1.5', 'signalbox.dev/memory-usage': '1Gi' };
  expect(usageOf(makePod('p', { ...requests, metadata: { annotations } }))).toEqual({
    cpuMilli: 1_500,
    memoryBytes: 1024 ** 3,
  });
  const broken = { 'signalbox.dev/cpu-usage': 'a lot' };
  expect(usageOf(makePod('p', { ...requests, metadata: { annotations: broken } })).cpuMilli).toBe(100);
});

test('addresses are handed out once, reserved ones never, returned ones again at the end', () => {
  const pool = createAddressPool('10.0.0.0', 29);
  pool.reserve('10.0.0.2');
  expect(['10.0.0.1', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6']).toEqual(
    Array.from({ length: 5 }, () => pool.take()),
  );
  expect(() => pool.take()).toThrow('no address is left in 10.0.0.0/29');
  pool.give('10.0.0.4');
  expect(pool.take()).toBe('10.0.0.4');
});
