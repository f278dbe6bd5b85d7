import type { ValidatingWebhook } from '../../api/generated/admissionregistration-v1.ts';
import { unstored } from '../admission/beforehand.ts';
import { refusedBy } from '../admission/mutation-rounds.ts';
import type { ServerContext } from '../context/context.ts';
import type { Review, Verdict } from '../context/reviewer.ts';
import { ask } from './ask.ts';
import type { Calling } from './call.ts';
import type { Hook } from './configurations.ts';
import { invocationOf } from './invocation.ts';

export interface Validating {
  readonly context: ServerContext;
  readonly calling: Calling;
  readonly hooks: readonly Hook<ValidatingWebhook>[];
}

/** Asks all webhooks at once. Of several refusals the first in their order is told, with the warnings of all. */
export async function validate(
  validating: Validating,
  review: Review,
  { signal }: { readonly signal: AbortSignal },
): Promise<Verdict> {
  const { calling, hooks } = validating;
  const { request } = review;
  const object = unstored(review.object);
  const shown: Review = { ...review, ...(object !== undefined && { object }) };
  const asked = await Promise.allSettled(
    hooks.map(async (hook) => {
      const invocation = await invocationOf(validating.context, hook, shown);
      return invocation && ask({ calling, hook, invocation, request, does: 'validate' }, { signal });
    }),
  );
  const answers = asked.map((each) => (each.status === 'rejected' ? refusedBy(each.reason) : each.value));
  const warnings = answers.flatMap((answer) => answer?.warnings ?? []);
  const denial = answers.find((answer) => answer?.denial !== undefined)?.denial;
  return denial === undefined ? { allowed: true, warnings } : { allowed: false, status: denial, warnings };
}
