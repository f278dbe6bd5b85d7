import { expect, test } from 'vitest';
import { createIssues, row } from '../../testing/resources/judge.ts';
import { runtimeclassDefinition } from '../node/runtimeclass.ts';
import { leaseDefinition } from './lease.ts';

test.each<[object, readonly string[]]>([
  [{ holderIdentity: 'node-1', leaseDurationSeconds: 40, leaseTransitions: 0 }, []],
  [{ holderIdentity: '' }, []],
  [{ leaseDurationSeconds: 0 }, ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0']],
  [{ leaseTransitions: -1 }, ['spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0']],
])('lease %j', (spec, expected) => expect(createIssues(leaseDefinition, { spec })).toEqual(expected));

test('a lease shows who holds it', () => {
  expect(row(leaseDefinition, { spec: { holderIdentity: 'node-1' } })).toEqual({ Holder: 'node-1' });
  expect(row(leaseDefinition, {})).toEqual({ Holder: '' });
});

test('a runtime class names its handler', () => {
  expect(row(runtimeclassDefinition, { handler: 'runc' })).toEqual({ Handler: 'runc' });
  expect(createIssues(runtimeclassDefinition, { handler: 'Run C' })).toHaveLength(1);
});
