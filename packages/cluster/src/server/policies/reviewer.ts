import { type Later, later } from '../../base/later.ts';
import { isAdmissionConfiguration } from '../admission/matching.ts';
import type { ServerContext } from '../context/context.ts';
import type { Reviewer } from '../context/reviewer.ts';
import type { Policies } from './configurations.ts';

/** What runs their expressions: most clusters have none. */
export const judging: Later<typeof import('./judging.ts')> = later(() => import('./judging.ts'));

/** Asks the admission policies that are bound, as upstream does: after all changes, together with validating webhooks. */
export function createPolicyReviewer({
  policies,
  context,
}: {
  readonly policies: Policies;
  readonly context: () => ServerContext;
}): Reviewer {
  return {
    name: 'ValidatingAdmissionPolicy',
    concerns: ({ served }) => policies.validating().length > 0 && !isExempt(served.definition),
    judge: async (review) => (await judging.load()).judgeAll(context(), policies.validating(), review),
  };
}

/** Policies are not asked about themselves, nor about questions that leave nothing behind. */
export function isExempt(definition: { readonly group: string; readonly kind: string }): boolean {
  return (
    isAdmissionConfiguration(definition) || ['authentication.k8s.io', 'authorization.k8s.io'].includes(definition.group)
  );
}
