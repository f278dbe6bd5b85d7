import { type Later, later } from '../../base/later.ts';

export interface ExpressionChecks {
  readonly hookIssues: typeof import('./hook-condition-issues.ts').hookIssues;
  readonly mutatingPolicyIssues: typeof import('../policies/policy-issues.ts').mutatingPolicyIssues;
  readonly selectorIssues: typeof import('./device-selector-issues.ts').selectorIssues;
  readonly policyIssues: typeof import('../policies/policy-issues.ts').policyIssues;
}

/** What judges expressions in configurations of webhooks, in policies and in selectors of devices; most clusters have none of them. */
export const expressionChecks: Later<ExpressionChecks> = later(async () => {
  const [{ hookIssues }, { selectorIssues }, { policyIssues, mutatingPolicyIssues }] = await Promise.all([
    import('./hook-condition-issues.ts'),
    import('./device-selector-issues.ts'),
    import('../policies/policy-issues.ts'),
  ]);
  return { hookIssues, selectorIssues, policyIssues, mutatingPolicyIssues };
});
