import { type Later, later } from '../../base/later.ts';
import type { MutatorGroup } from '../admission/mutation-rounds.ts';
import type { ServerContext } from '../context/context.ts';
import type { Policies } from './configurations.ts';
import { isExempt } from './reviewer.ts';

/** What runs their expressions: most clusters have none. */
export const mutating: Later<typeof import('./mutating.ts')> = later(() => import('./mutating.ts'));

/** Mutating admission policies that are bound: before webhooks, as upstream. Of what is deleted nothing is left to be changed. */
export function policyMutators({
  policies,
  context,
}: {
  readonly policies: Policies;
  readonly context: () => ServerContext;
}): MutatorGroup {
  return {
    concerns: ({ served, verb }) => policies.mutating().length > 0 && verb !== 'delete' && !isExempt(served.definition),
    begin: async (review) => (await mutating.load()).policyTurn(context(), policies.mutating(), review),
  };
}
