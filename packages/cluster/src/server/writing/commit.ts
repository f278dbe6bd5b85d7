import type { KubeObject } from '../../api/meta.ts';
import type { Encoded, Outcome } from '../../api/operation.ts';
import { isObject } from '../../api/record.ts';
import { failure, StatusError } from '../../api/status.ts';
import { formatExactJson } from '../../base/exact-json.ts';
import { freeze } from '../../base/freeze.ts';
import { fresh } from '../../base/fresh.ts';
import { jsonSize } from '../../base/json-size.ts';
import { SharedList, sharedJsonSize, sharedListSize } from '../../base/shared-json.ts';
import type { CommitOutcome, Stored, Write } from '../../store/store.ts';
import { restrictNode } from '../access/rbac/node-restriction.ts';
import type { ServerContext } from '../context/context.ts';
import type { Held } from '../context/quotas.ts';
import type { Served } from '../context/registry.ts';
import type { ObjectWrite, WriteRequest } from '../context/write-request.ts';

export type Written =
  | { readonly ok: true; readonly object: KubeObject; readonly encoded?: Encoded }
  /** Somebody else was faster; this is what stands there now. */
  | { readonly ok: false; readonly current: Stored | undefined };

/**
 * The last stage of every write, whatever it came in by: create, update, patch, delete, a subresource, the server's own
 * housekeeping. What has to hold for all of them, or be noted about all of them, stands here and nowhere else. A dry run goes
 * through it too, up to the store.
 */
export function commit(context: ServerContext, write: ObjectWrite): Promise<Written> {
  const held = hold(context, write);
  return held === undefined ? keep(context, write) : charging(held, { context, write });
}

/** What the write takes of quotas, until it is let go. Whoever may not write learns nothing of what is left. */
export function hold(context: ServerContext, write: ObjectWrite): Held | undefined {
  restrictNode(context, write);
  return context.quotas.hold(write);
}

/** With what it takes of quotas, which is given back where nothing comes of it. */
async function charging(
  held: Held,
  { context, write }: { readonly context: ServerContext; readonly write: ObjectWrite },
): Promise<Written> {
  try {
    const written = await keep(context, write);
    if (written.ok && !write.request.dryRun) await held.charge();
    return written;
  } finally {
    held.letGo();
  }
}

// Thousands of writes wait for one sync: what a write keeps until then is small, and no function of its own that waits.
function keep(context: ServerContext, write: ObjectWrite): Promise<Written> {
  const { request, before, after } = write;
  try {
    if (request.dryRun)
      return Promise.resolve({ ok: true, object: freeze(before === undefined ? unversioned(after) : after) });
    askMemory(context, write);
    if (request.served.conversion.learn !== undefined) return storeLearned(context, write);
    return store(context, write).then((outcome) => {
      if (outcome.ok) tell(context, write, outcome.stored);
      return writtenAs(request.served, outcome);
    });
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

/** Where somebody has to be asked for the form in which it is stored and shown. */
async function storeLearned(context: ServerContext, write: ObjectWrite): Promise<Written> {
  const { request, after } = write;
  const { served, signal } = request;
  await served.conversion.learn?.([after], { to: 'stored', signal });
  const outcome = await store(context, write);
  if (outcome.ok) {
    tell(context, write, outcome.stored);
    await learnForm(request, outcome.stored);
  }
  return writtenAs(served, outcome);
}

/**
 * The same for several, of a kind that everybody sees in one form, which wait for the disk as one: what came of each. `alone`: nothing
 * yet, as it is refused, takes of a quota, is no more than tried, or somebody else was faster; `commit` says what of it.
 */
export async function commitEach(
  context: ServerContext,
  writes: readonly ObjectWrite[],
): Promise<readonly (KubeObject | 'alone' | Error)[]> {
  const told: (KubeObject | 'alone' | Error)[] = writes.map(() => 'alone');
  const together: Write[] = [];
  const places: number[] = [];
  for (let index = 0; index < writes.length; index++) {
    const write = writes[index] as ObjectWrite;
    if (!isPlain(context, write)) continue;
    together.push(storeWrite(context, write));
    places.push(index);
  }
  const outcomes = await context.store.commitEach(together);
  for (let at = 0; at < places.length; at++) {
    const index = places[at] as number;
    const write = writes[index] as ObjectWrite;
    const outcome = outcomes[at];
    if (outcome instanceof Error) told[index] = outcome;
    else if (outcome?.ok === true) {
      tell(context, write, outcome.stored);
      told[index] = formOf(write.request.served, outcome.stored);
    }
  }
  return told;
}

function isPlain(context: ServerContext, write: ObjectWrite): boolean {
  const { served, dryRun } = write.request;
  if (dryRun || served.conversion.learn !== undefined) return false;
  try {
    const held = hold(context, write);
    held?.letGo();
    askMemory(context, write);
    return held === undefined;
  } catch {
    return false;
  }
}

function store(context: ServerContext, write: ObjectWrite): Promise<CommitOutcome> {
  return context.store.commit(storeWrite(context, write));
}

function storeWrite(context: ServerContext, write: ObjectWrite): Write {
  const { request, key, before, after, ends, versioned } = write;
  const { served, wantsJson } = request;
  const stored = served.conversion.toStored(after);
  const bytesMax = ends ? Infinity : context.limits.objectBytesMax;
  if (!ends && !context.store.encodes) checkSize(stored, { before: before?.stored, bytesMax });
  return {
    key,
    expect: before?.stored.revision ?? 0,
    kind: ends ? 'delete' : 'put',
    make: versioned ?? makeOf(stored),
    admit: admitUpTo(bytesMax),
    ...(wantsJson === true && { wantsJson }),
  };
}

function writtenAs(served: Served, outcome: CommitOutcome): Written {
  if (!outcome.ok) return outcome;
  const { stored, json } = outcome;
  return {
    ok: true,
    object: formOf(served, stored),
    ...(json !== undefined && { encoded: { object: stored.value, json } }),
  };
}

/** What the client is told of it. */
export function outcomeOf(
  code: number,
  { object, encoded }: { readonly object: KubeObject; readonly encoded?: Encoded },
  warnings: readonly string[],
): Outcome<KubeObject> {
  const told = warnings.length === 0 ? warnings : [...new Set(warnings)];
  return encoded === undefined ? { code, object, warnings: told } : { code, object, warnings: told, encoded };
}

/** Creates have asked before anything was decoded. Deletions are never refused, also where a finalizer's end completes one. */
function askMemory({ memory }: ServerContext, { request, before, after, ends }: ObjectWrite): void {
  if (before === undefined) return;
  if (ends || request.verb === 'delete') {
    memory.touch();
    return;
  }
  // How much larger it becomes is worth finding out only when it matters.
  const growthBytes = memory.isOpen ? 0 : jsonSize(after) - jsonSize(before.object);
  memory.admit({ does: 'change', user: request.user, resource: request.served.definition, growthBytes });
}

function tell({ listeners }: ServerContext, write: ObjectWrite, stored: Stored): void {
  for (const listener of listeners)
    if (write.ends) listener.removed?.(stored, write);
    else listener.put?.(stored, write);
}

/** Where somebody has to be asked for it: finds out what {@link formOf} then knows. */
export async function learnForm({ served, signal }: WriteRequest, stored: Stored): Promise<void> {
  await served.conversion.learn?.([stored.value as KubeObject], { to: 'shown', signal });
}

/** What is stored, as this version shows it. */
export function formOf({ conversion }: Served, stored: Stored): KubeObject {
  return conversion.fromStored(stored.value as KubeObject);
}

export function withRevision(object: KubeObject, revision: number): KubeObject {
  return { ...fresh, ...object, metadata: { ...fresh, ...object.metadata, resourceVersion: String(revision) } };
}

function unversioned(object: KubeObject): KubeObject {
  const { resourceVersion: _none, ...metadata } = object.metadata;
  return { ...object, metadata: metadata as KubeObject['metadata'] };
}

interface Sizing {
  readonly before: Stored | undefined;
  readonly bytesMax: number;
}

/** Refuses with 413. The exact size costs an encoding, so it is taken only when the object may be too large. */
function checkSize(object: object, { before, bytesMax }: Sizing): void {
  // A character may cost up to six bytes.
  const enough = bytesMax / 8;
  if (before === undefined ? sharedJsonSize(object, enough) < enough : isSurelyBelow(enough, { object, before }))
    return;
  refuseLarger(Buffer.byteLength(formatExactJson(object)), bytesMax);
}

/** Of its own, so that what a write keeps does not depend on what else there is around it. */
function makeOf(stored: KubeObject): (revision: number) => KubeObject {
  return (revision) => freeze(withRevision(stored, revision));
}

let admitting: { readonly bytesMax: number; admit(this: void, bytes: number): void } | undefined;

/** Nearly all writes have the same limit. */
function admitUpTo(bytesMax: number): (bytes: number) => void {
  if (admitting?.bytesMax !== bytesMax) admitting = { bytesMax, admit: (bytes) => refuseLarger(bytes, bytesMax) };
  return admitting.admit;
}

function refuseLarger(bytes: number, bytesMax: number): void {
  if (bytes > bytesMax)
    throw new StatusError(failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${bytesMax}`));
}

/** It is at most as large as before and what it does not share with that: mostly a status. */
function isSurelyBelow(
  enough: number,
  { object, before }: { readonly object: object; readonly before: Stored },
): boolean {
  const size = before.weightBytes + newSize(object, { before: before.value, depth: 2 });
  return size < enough || jsonSize(object, enough) < enough;
}

function newSize(value: unknown, { before, depth }: { readonly before: unknown; readonly depth: number }): number {
  if (value === before) return 0;
  if (Array.isArray(value) && Array.isArray(before)) return newElementsSize(value, before);
  if (value instanceof SharedList) return sharedListSize(value);
  if (depth === 0 || !isObject(value) || !isObject(before)) return jsonSize(value);
  let size = 2;
  for (const name in value) size += name.length + 4 + newSize(value[name], { before: before[name], depth: depth - 1 });
  return size;
}

/** Each element of before counts once, and in its turn. */
function newElementsSize(list: readonly unknown[], before: readonly unknown[]): number {
  let size = 2;
  let next = 0;
  for (const element of list) {
    const at = before.indexOf(element, next);
    if (at < 0) size += 1 + jsonSize(element);
    else next = at + 1;
  }
  return size;
}
