import type { ValidatingWebhook } from '../../api/generated/admissionregistration-v1.ts';
import { unstored } from '../admission/beforehand.ts';
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

/** Asks all webhooks at once. Of several refusals the first in their order is told. */
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
  const warnings: string[] = [];
  for (const answer of asked) {
    if (answer.status === 'rejected') throw answer.reason;
    const { denial, warnings: own = [] } = answer.value ?? {};
    if (denial !== undefined) return { allowed: false, status: denial };
    warnings.push(...own);
  }
  return { allowed: true, warnings };
}
