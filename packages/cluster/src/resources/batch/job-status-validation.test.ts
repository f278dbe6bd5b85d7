import { expect, test } from 'vitest';
import type { Job, JobStatus } from '../../api/generated/batch-v1.ts';
import { root } from '../../api/issue.ts';
import { validateJobStatus } from './job-status-validation.ts';

const issuesOf = (next: JobStatus, current: JobStatus = {}): readonly string[] => {
  const of = (status: JobStatus): Job => ({ status }) as Job;
  return [...validateJobStatus(of(next), of(current), root)].map(({ field, message }) => `${field}: ${message}`);
};

test('pods are counted from nothing upwards', () => {
  expect(issuesOf({ active: 2, ready: 2, succeeded: 1, failed: 0, terminating: 0 })).toEqual([]);
  expect(issuesOf({ active: -1, terminating: -2 })).toEqual([
    'status.active: Invalid value: -1: must be greater than or equal to 0',
    'status.terminating: Invalid value: -2: must be greater than or equal to 0',
  ]);
});

test('no more of them are ready than there are, unless it was so before', () => {
  expect(issuesOf({ ready: 1 })).toEqual(['status.ready: Invalid value: 1: cannot set more ready pods than active']);
  expect(issuesOf({ ready: 1, failed: 1 }, { ready: 1 })).toEqual([]);
});

test('each of those that are still to be counted has ended once', () => {
  const at = 'status.uncountedTerminatedPods';
  expect(issuesOf({ uncountedTerminatedPods: { succeeded: ['a', ''], failed: ['a', 'b'] } })).toEqual([
    `${at}.succeeded[1]: Invalid value: "": must not be empty`,
    `${at}.failed[0]: Duplicate value: "a"`,
  ]);
});
