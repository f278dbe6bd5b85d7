import { expect, test } from 'vitest';
import type { Container, Pod } from '../../../api/generated/core-v1.ts';
import { makePod } from '../../../testing/makers.ts';
import { createAddressPool } from './addresses.ts';
import { behaviourOf, isUnpullable, usageOf } from './simulation.ts';

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
  const used = (pod: Pod): unknown => usageOf(pod).get('main');
  expect(used(makePod('p', requests))).toEqual({ cpuMilli: 100, memoryBytes: 50 * 1024 * 1024 });
  const annotations = { 'signalbox.dev/cpu-usage': '1.5', 'signalbox.dev/memory-usage': '1Gi' };
  const wanted = { cpuMilli: 1_500, memoryBytes: 1024 ** 3 };
  expect(used(makePod('p', { ...requests, metadata: { annotations } }))).toEqual(wanted);
  const broken = { 'signalbox.dev/cpu-usage': 'a lot' };
  expect(used(makePod('p', { ...requests, metadata: { annotations: broken } }))).toMatchObject({ cpuMilli: 100 });
});

test('containers share it as they share the requests, to the last millionth', () => {
  const container = (name: string, cpu?: string): Container => ({
    ...{ name, image: 'i' },
    ...(cpu !== undefined && { resources: { requests: { cpu } } }),
  });
  const cpuOf = (...containers: readonly Container[]): readonly number[] => {
    const annotations = { 'signalbox.dev/cpu-usage': '100m', 'signalbox.dev/memory-usage': '10' };
    const usage = usageOf(makePod('p', { metadata: { annotations }, spec: { containers } }));
    return [...usage.values()].map(({ cpuMilli }) => cpuMilli);
  };
  expect(cpuOf(container('a', '100m'), container('b', '300m'))).toEqual([25, 75]);
  expect(cpuOf(container('a'), container('b', '1'))).toEqual([0, 100]);
  expect(cpuOf(container('a'), container('b'), container('c'))).toEqual([33.333333, 33.333334, 33.333333]);
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

const jobOwner = { apiVersion: 'batch/v1', kind: 'Job', name: 'run', uid: 'u', controller: true };
test.each<[string, Readonly<Record<string, string>>, object]>([
  ['a pod of a Job succeeds after a second', {}, { exitAfterMs: 1_000, exitCode: 0 }],
  ['unless it says when and how', { 'exit-after': '5s', 'exit-code': '3' }, { exitAfterMs: 5_000, exitCode: 3 }],
  ['or that it never does', { 'exit-after': 'never' }, { exitAfterMs: undefined }],
  ['an index may end in its own way', { 'exit-code': '1, 2=7', index: '2' }, { exitCode: 7 }],
  ['the others as said', { 'exit-code': '1, 2=7', index: '12' }, { exitCode: 1 }],
  ['well, where nothing is said of them', { 'exit-code': '2=7', index: '1' }, { exitCode: 0 }],
  ['what cannot be read is a failure', { 'exit-code': '2=many', index: '2' }, { exitCode: 1 }],
])('%s', (_, { index, ...told }, expected) => {
  const annotations = {
    ...Object.fromEntries(Object.entries(told).map(([name, value]) => [`signalbox.dev/${name}`, value])),
    ...(index !== undefined && { 'batch.kubernetes.io/job-completion-index': index }),
  };
  const pod = makePod('p', { metadata: { annotations, ownerReferences: [jobOwner] } });
  expect(behaviourOf(pod, { name: 'main' })).toMatchObject(expected);
});
