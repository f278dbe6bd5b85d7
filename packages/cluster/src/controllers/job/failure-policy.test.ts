import { describe, expect, test } from 'vitest';
import type { PodFailurePolicyRule } from '../../api/generated/batch-v1.ts';
import type { ContainerStatus, Pod } from '../../api/generated/core-v1.ts';
import { job, shape } from '../../testing/job-world.ts';
import { judgeFailure } from './failure-policy.ts';

function ended(name: string, exitCode: number | undefined): ContainerStatus {
  const state = exitCode === undefined ? { running: {} } : { terminated: { exitCode } };
  return { ...{ name, image: 'app:1', imageID: '', ready: false, restartCount: 0 }, state } as ContainerStatus;
}

const failed = (status: Partial<Pod['status']>): Pod => ({ ...shape('p'), status: { phase: 'Failed', ...status } });
const judged = (pod: Pod, ...rules: readonly PodFailurePolicyRule[]): object =>
  judgeFailure(job({ podFailurePolicy: { rules: [...rules] } }), pod);

const exits = (operator: string, values: readonly number[], containerName?: string): PodFailurePolicyRule => ({
  action: 'Ignore',
  onExitCodes: { operator, values: [...values], ...(containerName !== undefined && { containerName }) },
});

const two = { containerStatuses: [ended('app', 3), ended('side', 0)], initContainerStatuses: [ended('first', 9)] };

describe('a rule of exit codes', () => {
  test.each<[string, PodFailurePolicyRule, Partial<Pod['status']>, string]>([
    ['matches one of its codes', exits('In', [1, 3]), two, 'Ignore'],
    ['not another', exits('In', [1, 2]), two, 'Count'],
    ['matches all but its codes', exits('NotIn', [1, 2]), two, 'Ignore'],
    ['not its codes, if they are all there are', exits('NotIn', [3, 9]), two, 'Count'],
    ['never success', exits('In', [0]), two, 'Count'],
    ['never success by what it is not', exits('NotIn', [3, 9, 4]), two, 'Count'],
    ['never what still runs', exits('NotIn', [3]), { containerStatuses: [ended('app', undefined)] }, 'Count'],
    ['matches those that ran first, too', exits('In', [9]), two, 'Ignore'],
    ['only the container that it names', exits('In', [3], 'side'), two, 'Count'],
    ['the container that it names', exits('In', [3], 'app'), two, 'Ignore'],
  ])('%s', (_, rule, status, action) => {
    expect(judged(failed(status), rule)).toMatchObject({ action });
  });
});

const condition = (type: string, status: string): NonNullable<Pod['status']['conditions']>[number] => ({
  type,
  status,
});
const onConditions = (...onPodConditions: readonly { type: string; status: string }[]): PodFailurePolicyRule => ({
  action: 'Ignore',
  onPodConditions: [...onPodConditions],
});

describe('a rule of conditions', () => {
  const disrupted = condition('DisruptionTarget', 'True');
  test.each<[string, PodFailurePolicyRule, readonly object[], string]>([
    ['matches a condition as it stands', onConditions(disrupted), [disrupted], 'Ignore'],
    ['any of them', onConditions(condition('Other', 'True'), disrupted), [disrupted], 'Ignore'],
    ['not where it stands otherwise', onConditions(disrupted), [condition('DisruptionTarget', 'False')], 'Count'],
    ['not another that stands so', onConditions(disrupted), [condition('Ready', 'True')], 'Count'],
    ['nothing without a condition', onConditions(disrupted), [], 'Count'],
  ])('%s', (_, rule, conditions, action) => {
    expect(judged(failed({ conditions: conditions as never }), rule)).toMatchObject({ action });
  });
});

describe('of several rules', () => {
  const fails: PodFailurePolicyRule = { ...exits('In', [3]), action: 'FailJob' };
  const counts: PodFailurePolicyRule = { ...exits('In', [3]), action: 'Count' };
  const index: PodFailurePolicyRule = { ...exits('In', [3]), action: 'FailIndex' };

  test('the first that matches says it, also that a failure counts', () => {
    expect(judged(failed(two), exits('In', [4]), fails)).toEqual({
      action: 'FailJob',
      message: 'Container app for pod default/p failed with exit code 3 matching FailJob rule at index 1',
    });
    expect(judged(failed(two), counts, fails)).toEqual({ action: 'Count' });
    expect(judged(failed(two), exits('In', [3]), fails)).toEqual({ action: 'Ignore' });
  });

  test('one for indexes is passed by where these have no limit of their own', () => {
    expect(judged(failed(two), index, fails)).toMatchObject({ action: 'FailJob' });
    const limited = job({ backoffLimitPerIndex: 0, podFailurePolicy: { rules: [index, fails] } });
    expect(judgeFailure(limited, failed(two))).toEqual({ action: 'FailIndex' });
  });

  test('without any a failure counts', () => {
    expect(judgeFailure(job(), failed(two))).toEqual({ action: 'Count' });
  });
});
