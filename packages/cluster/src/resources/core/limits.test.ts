import { expect, test } from 'vitest';
import { created, createIssues, row } from '../../testing/resources/judge.ts';
import { limitrangeDefinition } from './limitrange.ts';
import { resourcequotaDefinition } from './resourcequota.ts';
import { serviceaccountDefinition } from './serviceaccount.ts';

test('limits of containers follow from each other, those of pods do not', () => {
  const item = { min: { cpu: '1', memory: '1Gi' }, max: { cpu: '4' }, default: { memory: '2Gi' } };
  const limits = [
    { ...item, type: 'Container' },
    { ...item, type: 'Pod' },
  ];
  expect(created(limitrangeDefinition, { spec: { limits } }).spec.limits).toEqual([
    {
      ...item,
      type: 'Container',
      default: { cpu: '4', memory: '2Gi' },
      defaultRequest: { cpu: '4', memory: '2Gi' },
    },
    { ...item, type: 'Pod' },
  ]);
});

test('limits are in order', () => {
  const limits = [{ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }];
  expect(createIssues(limitrangeDefinition, { spec: { limits } })).toEqual([
    'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
  ]);
  expect(createIssues(limitrangeDefinition, { spec: { limits: [{ type: 'Pod' }, { type: 'Pod' }] } })).toEqual([
    'spec.limits[1].type: Duplicate value: "Pod"',
  ]);
});

test('amounts are quantities', () => {
  expect(createIssues(resourcequotaDefinition, { spec: { hard: { cpu: '1 Gi', pods: '-1' } } })).toEqual([
    'spec.hard[cpu]: Invalid value: "1 Gi": quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'',
    'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
  ]);
});

test('a quota shows what is used of what is allowed', () => {
  const status = { hard: { pods: '5', cpu: '2', 'limits.cpu': '4' }, used: { pods: '1' } };
  expect(row(resourcequotaDefinition, { status })).toEqual({
    Request: 'cpu: 0/2, pods: 1/5',
    Limit: 'limits.cpu: 0/4',
  });
});

test('a service account counts its secrets', () => {
  expect(row(serviceaccountDefinition, { secrets: [{ name: 'a' }] })).toEqual({ Secrets: 1 });
  expect(row(serviceaccountDefinition, {})).toEqual({ Secrets: 0 });
});
