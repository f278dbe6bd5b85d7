import type { KubeObject } from '../../api/meta.ts';
import type { Outcome, User } from '../../api/operation.ts';
import { conflict, failure, modifiedMeanwhile, notFound, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import { formatExactJson } from '../../base/exact-json.ts';
import { freeze } from '../../base/freeze.ts';
import { jsonSize } from '../../base/json-size.ts';
import type { CommitOutcome, Stored } from '../../store/store.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { isFinished } from './finish.ts';

/** More rounds than this mean a bug or a livelock, not bad luck. */
const roundsMax = 64;

export interface Rewrite {
  readonly served: Served;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly user: User;
  readonly dryRun: boolean;
  readonly warnings: string[];
  /**
   * The object as it should be, given the newest version; runs again when somebody else was faster. Refuses by throwing a
   * `StatusError`, so a stale precondition shows here.
   */
  change(current: KubeObject): KubeObject;
}

/** Reads, changes and compare-and-sets until it holds. Nothing is written when nothing changes. */
export async function rewrite(context: ServerContext, request: Rewrite): Promise<Outcome<KubeObject>> {
  const { served, namespace, name } = request;
  const key = objectKey(served.prefix, namespace, name);
  let stored = context.store.get(key);
  for (let round = 0; round < roundsMax; round++) {
    if (stored === undefined) throw new StatusError(notFound(served.definition, name));
    const current = served.conversion.fromStored(stored.value as KubeObject);
    const next = request.change(current);
    const done = { code: 200, warnings: [...new Set(request.warnings)] };
    const unchanged = next === current || equal(next, current);
    if (unchanged && !isOldForm(served, { stored, current })) return { ...done, object: current };
    if (request.dryRun) return { ...done, object: freeze(next) };
    const { memory } = context;
    // How much larger it becomes is worth finding out only when it matters.
    const growthBytes = memory.isOpen ? 0 : jsonSize(next) - jsonSize(current);
    memory.admit({ does: 'change', user: request.user, resource: served.definition, growthBytes });
    const outcome = isFinished(served.traits, next)
      ? await remove(context, { served, key, expect: stored.revision, last: next })
      : await put(context, { served, key, expect: stored.revision, object: next });
    if (outcome.ok) return { ...done, object: shown(served, outcome.stored) };
    stored = outcome.current;
  }
  throw new StatusError(conflict(served.definition, name, modifiedMeanwhile));
}

/** An object that is kept in an earlier form is written anew by a write that changes nothing: tools that migrate rely on it. */
function isOldForm(
  served: Served,
  { stored, current }: { readonly stored: Stored; readonly current: KubeObject },
): boolean {
  if (served.crd === undefined || current === stored.value) return false;
  return !equal(served.conversion.toStored(current), stored.value);
}

export interface Put {
  readonly served: Served;
  readonly key: string;
  /** 0 creates. */
  readonly expect: number;
  /** In the form of the served version. */
  readonly object: KubeObject;
}

export async function put(context: ServerContext, { served, key, expect, object }: Put): Promise<CommitOutcome> {
  const stored = served.conversion.toStored(object);
  checkSize(stored, context.limits.objectBytesMax);
  const make = (revision: number): KubeObject => freeze(withRevision(stored, revision));
  const outcome = await context.store.commit({ key, expect, kind: 'put', make });
  if (outcome.ok) for (const listener of context.listeners) listener.put?.(served, outcome.stored);
  return outcome;
}

export interface Removal {
  readonly served: Served;
  readonly key: string;
  readonly expect: number;
  /** What watchers see last. */
  readonly last: KubeObject;
}

export async function remove(context: ServerContext, { served, key, expect, last }: Removal): Promise<CommitOutcome> {
  context.memory.touch();
  const stored = served.conversion.toStored(last);
  const make = (revision: number): KubeObject => freeze(withRevision(stored, revision));
  const outcome = await context.store.commit({ key, expect, kind: 'delete', make });
  if (outcome.ok) for (const listener of context.listeners) listener.removed?.(served, outcome.stored);
  return outcome;
}

export function shown(served: Served, stored: Stored): KubeObject {
  return served.conversion.fromStored(stored.value as KubeObject);
}

export function withRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

/** Refuses with 413. The exact size costs an encoding, so it is taken only when the object may be too large. */
export function checkSize(object: object, bytesMax: number): void {
  // A character may cost up to six bytes.
  if (jsonSize(object, bytesMax / 8) < bytesMax / 8) return;
  if (Buffer.byteLength(formatExactJson(object)) <= bytesMax) return;
  throw new StatusError(failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${bytesMax}`));
}
