import { expect, test } from 'vitest';
import { createIssues, updateIssues } from '../../testing/resources/judge.ts';
import { leasecandidateDefinition } from './leasecandidate.ts';

const spec = {
  leaseName: 'kube-scheduler',
  binaryVersion: '1.34.0',
  emulationVersion: '1.34.0',
  strategy: 'OldestEmulationVersion',
};

test.each<[object, readonly string[]]>([
  [{}, []],
  [{ leaseName: '' }, ['spec.leaseName: Required value']],
  [{ binaryVersion: '1.34' }, ['spec.binaryVersion: Invalid value: "1.34": must be a valid semantic version']],
  [
    { binaryVersion: '1.33.9' },
    ['spec.binaryVersion: Invalid value: "1.33.9": must be greater than or equal to `emulationVersion`'],
  ],
  [{ strategy: '' }, ['spec.strategy: Required value']],
  [
    { strategy: 'Mine' },
    ['spec.strategy.strategy: Unsupported value: "Mine": supported values: "OldestEmulationVersion"'],
  ],
  [{ strategy: 'example.com/mine' }, []],
  [
    { emulationVersion: '' },
    ["spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'"],
  ],
])('%j', (part, issues) => {
  expect(createIssues(leasecandidateDefinition, { spec: { ...spec, ...part } })).toEqual(issues);
});

test('it stands for one lease, under any name that a key may have', () => {
  expect(createIssues(leasecandidateDefinition, { metadata: { name: 'A_b' }, spec })).toEqual([]);
  const after = { spec: { ...spec, leaseName: 'other' } };
  expect(updateIssues(leasecandidateDefinition, { before: { spec }, after })).toEqual([
    'spec.leaseName: Invalid value: "other": field is immutable',
  ]);
});
