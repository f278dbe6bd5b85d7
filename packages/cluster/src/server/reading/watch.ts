import { apiVersionOf } from '../../api/gvk.ts';
import { root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { WatchEvent, WatchOperation } from '../../api/operation.ts';
import { expired, invalid, type Status, StatusError } from '../../api/status.ts';
import { type EagerIterator, readyOf } from '../../base/eager.ts';
import { freeze } from '../../base/freeze.ts';
import type { StoreEvent } from '../../store/store.ts';
import type { ServerContext } from '../context/context.ts';
import { collectionPrefix, objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { withRevision } from '../writing/commit.ts';
import { learnCollection } from './learn.ts';
import { checkWatchOptions, parseVersion, waitForRevision } from './resource-version.ts';
import { parseSelectors, type Selection, selectionOf } from './selection.ts';
import { createWatchStream, type WatchPlan } from './watch-stream.ts';

export interface WatchRequest {
  readonly served: Served;
  readonly operation: WatchOperation;
}

/**
 * Throws a `StatusError` for options that make no sense, when the first event is asked for. A version that is too old
 * arrives as an `ERROR` event, because clients look for it there.
 */
export function watch(
  context: ServerContext,
  { served, operation }: { readonly served: () => Served; readonly operation: WatchOperation },
  waiting: { readonly signal: AbortSignal },
): AsyncIterable<WatchEvent> {
  return startedByReader(() => start(context, { served: served(), operation }, waiting));
}

async function start(
  context: ServerContext,
  { served, operation }: WatchRequest,
  waiting: { readonly signal: AbortSignal },
): Promise<AsyncIterator<WatchEvent>> {
  // Thousands that begin at once leave as much behind as writes do; it goes back to the system when it is quiet again.
  context.memory.touch();
  const selectors = parseSelectors(operation.options);
  const options = withInitialEvents(operation.options);
  checkWatchOptions(options);
  const selection = selectionOf(served, selectors);
  const version = parseVersion(options.resourceVersion, (text) =>
    invalid(served.definition, '', [
      root('resourceVersion').invalid(text, `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`),
    ]),
  );
  const refusal = options.sendInitialEvents === true ? await reach(context, version, waiting) : undefined;
  if (refusal !== undefined) return onlyEvent({ type: 'ERROR', object: refusal });
  const request = { served, operation: { ...operation, options } };
  const beginning = { selection, version, signal: waiting.signal };
  const at = served.conversion.learn === undefined ? undefined : await learnInitial(context, request, beginning);
  const plan = planWatch(context, request, { ...beginning, at });
  if ('status' in plan) return onlyEvent({ type: 'ERROR', object: plan });
  return createWatchStream(context, plan, {
    signal: served.crd === undefined ? waiting.signal : AbortSignal.any([waiting.signal, served.removed]),
    bookmarks: options.allowWatchBookmarks !== true ? 'none' : options.onlyLastBookmark === true ? 'last' : 'all',
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
  });
}

/** Whoever watches from nowhere in particular is told what there is, and, with bookmarks, when that was all. */
function withInitialEvents(options: WatchOperation['options']): WatchOperation['options'] {
  const { resourceVersion = '', resourceVersionMatch = '', sendInitialEvents } = options;
  if (sendInitialEvents !== undefined || resourceVersionMatch !== '') return options;
  if (resourceVersion !== '' && resourceVersion !== '0') return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
}

/** By the time that waiting for a version was in vain, the answer has begun: the refusal is an event. */
async function reach(
  context: ServerContext,
  version: number | undefined,
  waiting: { readonly signal: AbortSignal },
): Promise<Status | undefined> {
  try {
    if (version !== undefined) await waitForRevision(context, version, waiting);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
}

async function* onlyEvent(event: WatchEvent): AsyncGenerator<WatchEvent, void, undefined> {
  yield event;
}

/** Begins with the first read and then adds nothing to the cost of an event. */
function startedByReader(begin: () => Promise<AsyncIterator<WatchEvent>>): AsyncIterable<WatchEvent> {
  return { [Symbol.asyncIterator]: () => new Started(begin) };
}

class Started implements EagerIterator<WatchEvent> {
  /** What it was begun with is let go of then. */
  #begin: (() => Promise<AsyncIterator<WatchEvent>>) | undefined;
  #started: Promise<AsyncIterator<WatchEvent>> | undefined;
  #stream: AsyncIterator<WatchEvent> | undefined;

  constructor(begin: () => Promise<AsyncIterator<WatchEvent>>) {
    this.#begin = begin;
  }

  next(): Promise<IteratorResult<WatchEvent>> {
    return this.#stream === undefined ? this.#first() : this.#stream.next();
  }

  ready(): WatchEvent | undefined {
    return this.#stream === undefined ? undefined : readyOf(this.#stream);
  }

  async return(): Promise<IteratorResult<WatchEvent, undefined>> {
    const ending = this.#stream ?? (await this.#started);
    return (await ending?.return?.()) ?? { done: true, value: undefined };
  }

  async #first(): Promise<IteratorResult<WatchEvent>> {
    const begin = this.#begin;
    this.#begin = undefined;
    this.#started ??= begin?.();
    const stream = await this.#started;
    if (stream === undefined) return { done: true, value: undefined };
    this.#stream = stream;
    this.#started = undefined;
    return stream.next();
  }
}

interface Beginning {
  readonly selection: Selection;
  readonly version: number | undefined;
  readonly signal: AbortSignal;
  /** Where what exists already has to be shown at; the newest otherwise. */
  readonly at?: number | undefined;
}

/** Without a version, or from the oldest there is, a watch begins with what exists. */
function showsInitial({ operation }: WatchRequest, version: number | undefined): boolean {
  return operation.options.sendInitialEvents ?? (version === undefined || version === 0);
}

async function learnInitial(
  context: ServerContext,
  request: WatchRequest,
  { selection, version, signal }: Beginning,
): Promise<number | undefined> {
  if (!showsInitial(request, version)) return undefined;
  const prefix = watchedPrefix(request, selection);
  return learnCollection(context, { served: request.served, prefix, options: {} }, { signal });
}

function learner({ conversion }: Served, signal: AbortSignal): WatchPlan['learn'] {
  if (conversion.learn === undefined) return undefined;
  const formsOf = ({ stored, previous }: StoreEvent): readonly KubeObject[] =>
    [stored, ...(previous === undefined ? [] : [previous])].map(({ value }) => value as KubeObject);
  return async (event) => conversion.learn?.(formsOf(event), { to: 'shown', signal });
}

function planWatch(
  { store }: ServerContext,
  request: WatchRequest,
  { selection, version, signal, at }: Beginning,
): WatchPlan | ReturnType<typeof expired> {
  const { served, operation } = request;
  const { options } = operation;
  const prefix = watchedPrefix(request, selection);
  const learn = learner(served, signal);
  const parts = {
    prefix,
    translate: translator(served, selection),
    bookmark: bookmarker(served),
    ...(learn !== undefined && { learn }),
  };
  const fromNow = version === undefined || version === 0;
  if (!showsInitial(request, version)) {
    if (!fromNow && version < store.compactedRevision) return tooOld(version, store.compactedRevision);
    return { ...parts, initial: [].values(), from: fromNow ? store.revision : version };
  }
  const revision = at ?? store.revision;
  const end =
    options.sendInitialEvents === true && options.allowWatchBookmarks === true
      ? initialEnd(served, revision)
      : undefined;
  return { ...parts, initial: initialEvents(store, { served, selection, prefix, revision, end }), from: revision };
}

interface Initial {
  readonly served: Served;
  readonly selection: Selection;
  readonly prefix: string;
  readonly revision: number;
  readonly end: WatchEvent | undefined;
}

const initialAtOnce = 100;

/** Read from the store as the watcher takes them: one that does not read keeps nothing but its place. */
function* initialEvents(
  store: ServerContext['store'],
  { served, selection, prefix, revision, end }: Initial,
): Generator<WatchEvent, void, undefined> {
  for (let after = ''; ; ) {
    const page = store.list(prefix, { at: revision, after, limit: initialAtOnce });
    if ('expired' in page) {
      yield { type: 'ERROR', object: tooOld(revision, page.compactedRevision) };
      return;
    }
    for (const { value } of page.items) {
      const object = served.conversion.fromStored(value as KubeObject);
      if (selection.matches?.(object) !== false) yield { type: 'ADDED', object };
    }
    if (!page.more) break;
    after = page.items.at(-1)?.key ?? after;
  }
  if (end !== undefined) yield end;
}

/** Who waits for one object hears of that object (and of those whose names begin like it), not of the collection. */
function watchedPrefix({ served, operation }: WatchRequest, selection: Selection): string {
  const namespace = operation.namespace ?? selection.namespace;
  return selection.name !== undefined && (!served.definition.namespaced || namespace !== undefined)
    ? objectKey(served.prefix, namespace, selection.name)
    : collectionPrefix(served.prefix, operation.namespace);
}

function tooOld(version: number, compacted: number): ReturnType<typeof expired> {
  return expired(`too old resource version: ${version} (${compacted})`);
}

/** An object enters a selection as ADDED and leaves it as DELETED, with the labels that it had inside. */
function translator(served: Served, { matches }: Selection): WatchPlan['translate'] {
  const form = served.conversion.fromStored;
  return ({ type, stored, previous }) => {
    const object = form(stored.value as KubeObject);
    const before = previous === undefined ? undefined : form(previous.value as KubeObject);
    const was = before !== undefined && (matches === undefined || matches(before));
    if (type === 'delete')
      return was || (before === undefined && matches?.(object) !== false) ? { type: 'DELETED', object } : undefined;
    const is = matches === undefined || matches(object);
    if (is) return { type: was ? 'MODIFIED' : 'ADDED', object };
    return was ? { type: 'DELETED', object: freeze(withRevision(before, stored.revision)) } : undefined;
  };
}

function bookmarker({ definition }: Served): (revision: number) => WatchEvent {
  return (revision) => ({ type: 'BOOKMARK', object: bookmarkObject(definition, revision) });
}

function initialEnd({ definition }: Served, revision: number): WatchEvent {
  const object = bookmarkObject(definition, revision);
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  return { type: 'BOOKMARK', object: freeze({ ...object, metadata: { ...object.metadata, annotations } }) };
}

/** A bookmark carries a version and nothing else; clients know to read no more of it. */
function bookmarkObject(definition: Served['definition'], revision: number): KubeObject {
  return freeze({
    kind: definition.kind,
    apiVersion: apiVersionOf(definition),
    metadata: { resourceVersion: String(revision) } as unknown as KubeObject['metadata'],
  });
}
