import { badRequest, internalError, StatusError } from '../../api/status.ts';
import { randomUuid } from '../../base/random.ts';
import type { Review } from '../context/reviewer.ts';
import { type Expected, type HookAnswer, readAnswer } from './answer.ts';
import { type Calling, callHook, HookFailure } from './call.ts';
import type { Hook } from './configurations.ts';
import type { Invocation } from './invocation.ts';
import { admissionReview, reviewVersion } from './request.ts';

const answerBytesMax = 16 * 2 ** 20;
const timeoutSecondsDefault = 10;

export interface Asking {
  readonly calling: Calling;
  readonly hook: Hook;
  readonly invocation: Invocation;
  readonly request: Review['request'];
  readonly does: Expected['does'];
}

/** Asks one webhook. Undefined: it could not be asked, and its policy is to go on without it. Throws a refusal otherwise. */
export async function ask(
  asking: Asking,
  { signal }: { readonly signal: AbortSignal },
): Promise<HookAnswer | undefined> {
  const { name, failurePolicy, sideEffects } = asking.hook.webhook;
  if (asking.request.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun')
    throw new StatusError(badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`));
  try {
    return await answerOf(asking, { signal });
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error;
    if (failurePolicy === 'Ignore') return undefined;
    throw callFailure(name, error);
  }
}

async function answerOf(
  { calling, hook, invocation, request, does }: Asking,
  { signal }: { readonly signal: AbortSignal },
): Promise<HookAnswer> {
  const { webhook } = hook;
  const { name, clientConfig, timeoutSeconds = timeoutSecondsDefault } = webhook;
  const version = reviewVersion(webhook.admissionReviewVersions);
  if (version === undefined)
    throw new HookFailure(
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    );
  const uid = randomUuid(calling.random);
  const call = {
    ...{ clientConfig, answerBytesMax, timeoutMs: timeoutSeconds * 1000 },
    body: admissionReview({ version, uid, request, ...invocation }),
  };
  const review = await callHook(calling, call, { signal }).catch((error: unknown) => {
    throw error instanceof HookFailure
      ? new HookFailure(`failed to call webhook: ${error.message}`, { cause: error })
      : error;
  });
  const answer = readAnswer(review, { name, version, uid, does });
  for (const [key, value] of Object.entries(answer.annotations)) request.operation?.annotate?.(`${name}/${key}`, value);
  return answer;
}

/** What the user is told of a webhook that is needed and could not be asked. */
export function callFailure(name: string, failure: HookFailure): StatusError {
  const message = `failed calling webhook ${JSON.stringify(name)}: ${failure.message}`;
  return new StatusError(internalError(message), { cause: failure });
}
