import { describe, expect, test } from 'vitest';
import type { ValidatingAdmissionPolicy } from '../../api/generated/admissionregistration-v1.ts';
import { makeMeta } from '../../testing/makers.ts';
import { isChecked, plan } from './plan.ts';

function policy(generation: number, status: object = {}): ValidatingAdmissionPolicy {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { ...makeMeta({ name: 'p' }), generation },
    spec: {},
    status,
  } as unknown as ValidatingAdmissionPolicy;
}

const warnings = [{ fieldRef: 'spec.validations[0].expression', warning: 'apps/v1, Kind=Deployment: …' }];

describe('what was found is told', () => {
  test('of a policy that nobody has looked at', () => {
    expect(plan(policy(1), warnings).actions).toMatchObject([
      {
        do: 'setStatus',
        object: { status: { observedGeneration: 1, typeChecking: { expressionWarnings: warnings } } },
      },
    ]);
  });

  test('also when it is nothing', () => {
    const [action] = plan(policy(1), []).actions;
    expect(action).toMatchObject({ object: { status: { observedGeneration: 1, typeChecking: {} } } });
  });

  test('again after a change; conditions of others stay', () => {
    const before = policy(2, { observedGeneration: 1, typeChecking: { expressionWarnings: warnings }, conditions: [] });
    expect(plan(before, []).actions).toMatchObject([
      { object: { status: { observedGeneration: 2, typeChecking: {}, conditions: [] } } },
    ]);
  });

  test('once', () => {
    const told = policy(1, { observedGeneration: 1, typeChecking: {} });
    expect(isChecked(told)).toBe(true);
    expect(plan(told, warnings).actions).toEqual([]);
  });
});
