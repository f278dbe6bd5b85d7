import { type Later, later } from '../../base/later.ts';

export interface ExpressionChecks {
  readonly hookIssues: typeof import('./hook-condition-issues.ts').hookIssues;
  readonly mutatingPolicyIssues: typeof import('../policies/policy-issues.ts').mutatingPolicyIssues;
  readonly policyIssues: typeof import('../policies/policy-issues.ts').policyIssues;
}

/** What judges expressions in configurations of webhooks and in policies; most clusters have neither. */
export const expressionChecks: Later<ExpressionChecks> = later(async () => {
  const [{ hookIssues }, { policyIssues, mutatingPolicyIssues }] = await Promise.all([
    import('./hook-condition-issues.ts'),
    import('../policies/policy-issues.ts'),
  ]);
  return { hookIssues, policyIssues, mutatingPolicyIssues };
});
