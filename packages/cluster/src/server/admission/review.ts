import type { KubeObject } from '../../api/meta.ts';
import { internalError, StatusError } from '../../api/status.ts';
import { abortWith, onAbort } from '../../base/signal.ts';
import type { ServerContext } from '../context/context.ts';
import type { Review, Reviewer, Verdict } from '../context/reviewer.ts';
import type { WriteRequest } from '../context/write-request.ts';

/** A write that somebody has to be asked about. `T` is what the write works on, e.g. the whole object behind a `/scale`. */
export interface Reviewing<T> {
  readonly reviewers: readonly Reviewer[];
  readonly request: WriteRequest;
  show(draft: T): Pick<Review, 'object' | 'oldObject'>;
  /** Takes in what a reviewer made of it. */
  take(changed: KubeObject): T;
  /** Refuses what is not valid, by throwing a `StatusError`. */
  check(draft: T): void;
}

/** The draft as the reviewers leave it. Throws the `StatusError` of the first that refuses it. */
export async function reviewed<T>(context: ServerContext, draft: T, reviewing: Reviewing<T>): Promise<T> {
  const { reviewers, request, show, take, check } = reviewing;
  const reviewOf = (shown: T): Review => ({
    does: request.verb === 'patch' ? 'update' : request.verb,
    request,
    ...show(shown),
    // What cannot be changed stays as it is shown.
    complete: (changed) => show(take(changed)).object ?? changed,
  });
  let next = draft;
  for (const reviewer of reviewers) {
    const mutate = reviewer.mutate?.bind(reviewer);
    if (mutate === undefined) continue;
    const review = reviewOf(next);
    const { object, ...verdict } = await answerOf(context, reviewer, {
      request,
      ask: (waiting) => mutate(review, waiting),
    });
    request.warnings.push(...(verdict.warnings ?? []));
    heed(verdict, request);
    if (object !== undefined) next = take(object);
  }
  check(next);
  await judged(context, reviewers, reviewOf(next));
  return next;
}

async function judged(context: ServerContext, reviewers: readonly Reviewer[], review: Review): Promise<void> {
  const { request } = review;
  const asking = reviewers.flatMap((reviewer) => {
    const judge = reviewer.judge?.bind(reviewer);
    if (judge === undefined) return [];
    return [answerOf(context, reviewer, { request, ask: (waiting) => judge(review, waiting) })];
  });
  // The first in the list is the one that is told of, whoever answers first.
  const verdicts = await Promise.all(asking);
  request.warnings.push(...verdicts.flatMap((verdict) => verdict.warnings ?? []));
  for (const verdict of verdicts) heed(verdict, request);
}

/** Whoever is refused is told the warnings as well: they may say why. */
function heed(verdict: Verdict, { warnings }: WriteRequest): void {
  if (!verdict.allowed) throw new StatusError(verdict.status, { warnings });
}

interface Question<T> {
  readonly request: WriteRequest;
  ask(waiting: { readonly signal: AbortSignal }): Promise<T>;
}

/** Ends with the request or when time is up, also when the reviewer does not listen. */
async function answerOf<T>(
  { outsideClock: clock, limits }: ServerContext,
  { name, limitMs = limits.reviewMs }: Reviewer,
  { request, ask }: Question<T>,
): Promise<T> {
  const ending = new AbortController();
  const { signal } = ending;
  const stopFollowing = abortWith(request.signal, ending);
  const cancel = clock.after(limitMs, () => ending.abort(failed(name, `it did not answer within ${limitMs / 1000} s`)));
  const ended = new Promise<never>((_, reject) => {
    onAbort(signal, () => reject(signal.reason));
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([ask({ signal }), ended]);
  } catch (error) {
    if (error instanceof StatusError || (signal.aborted && error === signal.reason)) throw error;
    throw failed(name, error instanceof Error ? error.message : String(error), error);
  } finally {
    cancel();
    stopFollowing();
  }
}

function failed(reviewer: string, why: string, cause?: unknown): StatusError {
  return new StatusError(internalError(`the admission review ${JSON.stringify(reviewer)} failed: ${why}`), { cause });
}
