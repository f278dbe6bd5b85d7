import type { MutatingWebhook } from '../../api/generated/admissionregistration-v1.ts';
import type { KubeObject } from '../../api/meta.ts';
import { applyJsonPatch } from '../../api/patch/json.ts';
import type { JsonObject } from '../../api/record.ts';
import { internalError, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import { asReviewed, beforehand, unstored } from '../admission/beforehand.ts';
import { outOfVersion } from '../admission/in-version.ts';
import type { Asked, Mutator, Waiting } from '../admission/mutation-rounds.ts';
import type { ServerContext } from '../context/context.ts';
import type { Review } from '../context/reviewer.ts';
import { ask } from './ask.ts';
import type { Calling } from './call.ts';
import type { Hook } from './configurations.ts';
import { type Invocation, invocationOf } from './invocation.ts';

export interface Mutating {
  readonly context: ServerContext;
  readonly calling: Calling;
}

/** A webhook as somebody who may change objects. */
export function hookMutator(mutating: Mutating, hook: Hook<MutatingWebhook>): Mutator {
  return {
    id: `webhook ${hook.id}`,
    isReinvoked: hook.webhook.reinvocationPolicy === 'IfNeeded',
    mindsItself: false,
    ask: (review, waiting) => askOne(mutating, { hook, review }, waiting),
  };
}

async function askOne(
  mutating: Mutating,
  { hook, review }: { readonly hook: Hook<MutatingWebhook>; readonly review: Review },
  { signal }: Waiting,
): Promise<Asked | undefined> {
  const { context, calling } = mutating;
  const shown = review.object && unstored(beforehand(review.object, review.request));
  const invocation = await invocationOf(context, hook, { ...review, ...(shown && { object: shown }) });
  if (invocation === undefined) return undefined;
  const { request } = review;
  const answer = await ask({ calling, hook, invocation, request, does: 'mutate' }, { signal });
  if (answer === undefined || answer.patch.length === 0) return answer;
  const patched = patchedBy(hook, invocation, answer.patch);
  if (equal(patched, invocation.object)) return { warnings: answer.warnings };
  const back = await outOfVersion(context.registry, patched, { request, ...invocation });
  return { warnings: answer.warnings, object: asReviewed(back, review) };
}

function patchedBy({ webhook }: Hook, { object }: Invocation, patch: readonly unknown[]): KubeObject {
  const { name } = webhook;
  if (object === undefined)
    throw new StatusError(
      internalError(
        `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
      ),
    );
  try {
    return applyJsonPatch(object as unknown as JsonObject, patch) as unknown as KubeObject;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    // It is the webhook's mistake, not that of whoever sent the request.
    throw new StatusError(internalError(said.replace(/^the server rejected .*? our request: /, '')), { cause: error });
  }
}
