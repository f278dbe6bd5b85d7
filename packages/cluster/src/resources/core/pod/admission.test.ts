import { describe, expect, test } from 'vitest';
import type { Pod, PodSpec, ServiceAccount, Toleration } from '../../../api/generated/core-v1.ts';
import type { PriorityClass } from '../../../api/generated/scheduling-v1.ts';
import { isStatusError } from '../../../api/status.ts';
import { withDefaultTolerations, withPriority, withServiceAccount } from './admission.ts';

function pod(spec: Partial<PodSpec> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { containers: [], ...spec },
  } as unknown as Pod;
}

describe('default tolerations', () => {
  const notReady = 'node.kubernetes.io/not-ready';
  const unreachable = 'node.kubernetes.io/unreachable';
  const keys = (tolerations: readonly Toleration[]): (string | undefined)[] | undefined =>
    withDefaultTolerations(pod({ tolerations })).spec.tolerations?.map(({ key }) => key);

  test('give a pod five minutes', () => {
    expect(withDefaultTolerations(pod()).spec.tolerations).toEqual([
      { key: notReady, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: unreachable, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ]);
  });

  test.each<[string, readonly Toleration[], readonly (string | undefined)[]]>([
    [
      'one is given',
      [{ key: notReady, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
      [notReady, unreachable],
    ],
    ['every effect is tolerated', [{ key: unreachable, operator: 'Exists' }], [unreachable, notReady]],
    ['everything is tolerated', [{ operator: 'Exists' }], [undefined]],
    [
      'another effect does not count',
      [{ key: notReady, operator: 'Exists', effect: 'NoSchedule' }],
      [notReady, notReady, unreachable],
    ],
  ])('%s', (_, tolerations, expected) => expect(keys(tolerations)).toEqual(expected));

  test('are added once', () => {
    const once = withDefaultTolerations(pod());
    expect(withDefaultTolerations(once)).toBe(once);
  });
});

describe('priority', () => {
  const priorityClass = (name: string, value: number, more: Partial<PriorityClass> = {}): PriorityClass =>
    ({
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      ...more,
    }) as PriorityClass;
  const classes = [priorityClass('high', 1000, { preemptionPolicy: 'Never' }), priorityClass('low', -5)];
  const facts = (spec: Partial<PodSpec>, all: readonly PriorityClass[] = classes): unknown[] => {
    const { priorityClassName, priority, preemptionPolicy } = withPriority(pod(spec), all).spec;
    return [priorityClassName, priority, preemptionPolicy];
  };
  const refusal = (spec: Partial<PodSpec>): string | undefined => {
    try {
      withPriority(pod(spec), classes);
      return undefined;
    } catch (error) {
      return isStatusError(error, 'Forbidden') ? error.message : String(error);
    }
  };

  test.each<[string, Partial<PodSpec>, readonly PriorityClass[], readonly unknown[]]>([
    ['none', {}, classes, [undefined, 0, 'PreemptLowerPriority']],
    ['by name', { priorityClassName: 'high' }, classes, ['high', 1000, 'Never']],
    [
      'the default',
      {},
      [
        ...classes,
        priorityClass('usual', 7, { globalDefault: true }),
        priorityClass('more', 9, { globalDefault: true }),
      ],
      ['usual', 7, 'PreemptLowerPriority'],
    ],
    [
      'of the system',
      { priorityClassName: 'system-node-critical' },
      [],
      ['system-node-critical', 2_000_001_000, 'PreemptLowerPriority'],
    ],
  ])('%s', (_, spec, all, expected) => expect(facts(spec, all)).toEqual(expected));

  test.each<[string, Partial<PodSpec>, string]>([
    [
      'a class that does not exist',
      { priorityClassName: 'gold' },
      'pods "web" is forbidden: no PriorityClass with name gold was found',
    ],
    [
      'a number of the user',
      { priority: 5 },
      'pods "web" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      'a policy of the user',
      { preemptionPolicy: 'Never' },
      'pods "web" is forbidden: the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    ],
  ])('refuses %s', (_, spec, message) => expect(refusal(spec)).toBe(message));

  test('is found once', () => {
    const once = withPriority(pod({ priorityClassName: 'high' }), classes);
    expect(withPriority(once, classes)).toBe(once);
  });
});

describe('service account', () => {
  const account = { imagePullSecrets: [{ name: 'registry' }] } as unknown as ServiceAccount;

  test('is default when none is named', () => {
    expect(withServiceAccount(pod()).spec).toMatchObject({ serviceAccountName: 'default', serviceAccount: 'default' });
    const named = pod({ serviceAccountName: 'mine', serviceAccount: 'mine' });
    expect(withServiceAccount(named)).toBe(named);
  });

  test('lends its pull secrets to pods without', () => {
    expect(withServiceAccount(pod(), account).spec.imagePullSecrets).toEqual([{ name: 'registry' }]);
    expect(withServiceAccount(pod({ imagePullSecrets: [{ name: 'own' }] }), account).spec.imagePullSecrets).toEqual([
      { name: 'own' },
    ]);
  });
});
