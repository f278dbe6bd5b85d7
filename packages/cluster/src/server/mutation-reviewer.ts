import { type MutatorGroup, mutateInRounds } from './admission/mutation-rounds.ts';
import type { Reviewer } from './context/reviewer.ts';
import { webhooksLimitMs } from './webhooks/reviewer.ts';

/** Policies and webhooks that change objects take turns as one: what one of them changes may concern any other. */
export function createMutationReviewer(groups: readonly MutatorGroup[]): Reviewer {
  return {
    name: 'mutation',
    limitMs: webhooksLimitMs,
    concerns: (request) => groups.some((group) => group.concerns(request)),
    mutate: (review, waiting) => mutateInRounds(groups, review, waiting),
  };
}
