import type { MutatingWebhook } from '../../api/generated/admissionregistration-v1.ts';
import type { KubeObject } from '../../api/meta.ts';
import { applyJsonPatch } from '../../api/patch/json.ts';
import { type JsonObject, without } from '../../api/record.ts';
import { internalError, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import { outOfVersion } from '../admission/in-version.ts';
import type { ServerContext } from '../context/context.ts';
import type { Mutation, Review } from '../context/reviewer.ts';
import { ask } from './ask.ts';
import type { Calling } from './call.ts';
import type { Hook } from './configurations.ts';
import { type Invocation, invocationOf } from './invocation.ts';
import { beforehand, unstored } from './request.ts';

export interface Mutating {
  readonly context: ServerContext;
  readonly calling: Calling;
  readonly hooks: readonly Hook<MutatingWebhook>[];
}

interface Waiting {
  readonly signal: AbortSignal;
}

/**
 * Asks the webhooks one after the other, each about what the one before it left. Those that want it are asked a second time, when
 * somebody after them, or the server's own rules, changed the object.
 */
export async function mutate(mutating: Mutating, review: Review, { signal }: Waiting): Promise<Mutation> {
  const warnings: string[] = [];
  const rounds = createRounds();
  let object = review.object;
  for (const round of [1, 2]) {
    for (const hook of mutating.hooks) {
      if (round === 2 && !rounds.isAgain(hook)) continue;
      const asked = await askOne(mutating, { hook, review: { ...review, ...(object && { object }) } }, { signal });
      if (asked === undefined) continue;
      warnings.push(...asked.warnings);
      if (asked.denial !== undefined) return { allowed: false, status: asked.denial };
      if (asked.object !== undefined) rounds.changed();
      if (hook.webhook.reinvocationPolicy === 'IfNeeded') rounds.asked(hook);
      if (asked.object === undefined) continue;
      object = review.complete(asked.object);
      if (!isSame(object, asked.object)) rounds.changed();
    }
    if (!rounds.isNeeded()) break;
  }
  return { allowed: true, warnings, ...(object !== undefined && object !== review.object && { object }) };
}

interface Rounds {
  /** The object is another now: who was asked before wants to see it. */
  changed(): void;
  asked(hook: Hook): void;
  isNeeded(): boolean;
  isAgain(hook: Hook): boolean;
}

function createRounds(): Rounds {
  let before = new Set<string>();
  const again = new Set<string>();
  return {
    changed() {
      for (const id of before) again.add(id);
      before = new Set();
    },
    asked: ({ id }) => before.add(id),
    isNeeded: () => again.size > 0,
    isAgain: ({ id }) => again.has(id),
  };
}

/** Defaults and rules have left it alone. What the server gives every object does not count. */
function isSame(completed: KubeObject, patched: KubeObject): boolean {
  const plain = (object: KubeObject): object => ({
    ...without(object as unknown as JsonObject, ['metadata']),
    labels: object.metadata?.labels,
    annotations: object.metadata?.annotations,
  });
  return equal(plain(completed), plain(patched));
}

interface Asked {
  readonly warnings: readonly string[];
  readonly denial?: Extract<Mutation, { readonly allowed: false }>['status'];
  /** Absent when nothing is changed. */
  readonly object?: KubeObject;
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

/** With the name that the server has made up, which the webhook has not seen. */
function asReviewed(changed: KubeObject, { does, object }: Review): KubeObject {
  const { metadata } = changed;
  if (does !== 'create' || object === undefined || (metadata?.name ?? '') !== '') return changed;
  return { ...changed, metadata: { ...metadata, name: object.metadata.name } };
}
