import { expect, test } from 'vitest';
import { type Body, createIssues, row, updateIssues } from '../../testing/resources/judge.ts';
import { csistoragecapacityDefinition } from './csistoragecapacity.ts';
import { volumeattributesclassDefinition } from './volumeattributesclass.ts';

const vac = { driverName: 'd.example.com', parameters: { iops: '100' } };

test.each<[Body, readonly string[]]>([
  [vac, []],
  [{ ...vac, driverName: '' }, ['driverName: Required value']],
  [{ ...vac, parameters: {} }, ['parameters: Required value: must contain at least one key/value pair']],
  [{ ...vac, parameters: { '': 'x' } }, ['parameters: Invalid value: "": field can not be empty.']],
  [{ ...vac, parameters: { a: 'x'.repeat(262_144) } }, ['parameters: Too long: may not be more than 262144 bytes']],
])('a VolumeAttributesClass', (body, issues) => {
  expect(createIssues(volumeattributesclassDefinition, body)).toEqual(issues);
});

test('a VolumeAttributesClass stays as it is', () => {
  const after = { driverName: 'e.example.com', parameters: { iops: '200' } };
  expect(updateIssues(volumeattributesclassDefinition, { before: vac, after })).toEqual([
    'driverName: Forbidden: updates to driverName are forbidden.',
    'parameters: Forbidden: updates to parameters are forbidden.',
  ]);
  expect(row(volumeattributesclassDefinition, vac)).toEqual({ DriverName: 'd.example.com' });
});

const capacity = { storageClassName: 'fast', nodeTopology: { matchLabels: { zone: 'a' } }, capacity: '1Gi' };

test.each<[Body, readonly string[]]>([
  [capacity, []],
  [{ ...capacity, capacity: '-1' }, ['capacity: Invalid value: "-1": must be greater than or equal to 0']],
  [{ ...capacity, nodeTopology: { matchLabels: { '!': 'a' } } }, ['nodeTopology.matchLabels: Invalid value: "!"']],
])('a CSIStorageCapacity', (body, issues) => {
  const found = createIssues(csistoragecapacityDefinition, body);
  expect(found.map((issue, index) => issue.slice(0, issues[index]?.length))).toEqual(issues);
});

test('a CSIStorageCapacity is for one class and one part of the cluster', () => {
  const after = { storageClassName: 'slow', capacity: '2Gi' };
  expect(
    updateIssues(csistoragecapacityDefinition, { before: capacity, after }).map((issue) => issue.split(':')[0]),
  ).toEqual(['nodeTopology', 'storageClassName']);
  expect(Object.keys(row(csistoragecapacityDefinition, { storageClassName: 'fast' }))).toEqual(['Name', 'Created At']);
});
