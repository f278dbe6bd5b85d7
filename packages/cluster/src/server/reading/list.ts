import type { KubeList, KubeObject } from '../../api/meta.ts';
import type { ListOperation, ListOptions, Outcome } from '../../api/operation.ts';
import { badRequest, expired, type Status, StatusError } from '../../api/status.ts';
import type { Stored, StoreListOptions } from '../../store/store.ts';
import type { ServerContext } from '../context/context.ts';
import { collectionPrefix, objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { type ContinueToken, decodeContinue, encodeContinue } from './continue-token.ts';
import { learnCollection } from './learn.ts';
import { checkListOptions, parseVersion, waitForRevision } from './resource-version.ts';
import { parseSelectors, type Selection, selectionOf } from './selection.ts';

interface Waiting {
  readonly signal: AbortSignal;
}

export async function list(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: ListOperation },
  waiting: Waiting,
): Promise<Outcome<KubeList>> {
  const { namespace, options, user } = operation;
  const { limit = 0 } = options;
  if ((limit === 0 || limit > wholeMax) && isLarge(context, served))
    context.memory.admit({ does: 'list everything', user, resource: served.definition });
  const page = await readPage(context, { served, namespace, options }, waiting);
  return { code: 200, object: listOf(served, page), warnings: [] };
}

export interface Page {
  readonly items: readonly KubeObject[];
  readonly revision: number;
  readonly next?: string;
  readonly remaining?: number;
}

export interface PageRequest {
  readonly served: Served;
  readonly namespace: string | undefined;
  readonly options: ListOptions;
}

/** More than this at once is what memory has to suffice for. */
const wholeMax = 1_000;

function isLarge({ store }: ServerContext, { prefix }: Served): boolean {
  const count = store.count(prefix);
  return typeof count === 'number' && count > wholeMax;
}

/** One page, or everything when there is no limit; all of it as of one revision. */
export async function readPage(context: ServerContext, request: PageRequest, waiting: Waiting): Promise<Page> {
  const { served, options } = request;
  const selectors = parseSelectors(options);
  checkListOptions(options);
  const selection = selectionOf(served, selectors);
  const prefix = collectionPrefix(served.prefix, request.namespace);
  const limit = options.limit ?? 0;
  if (!Number.isSafeInteger(limit) || limit < 0) throw new StatusError(badRequest('limit must be a positive number'));
  const token = (options.continue ?? '') === '' ? undefined : decodeContinue(options.continue ?? '', prefix);
  const from = token === undefined ? await startRevision(context, options, waiting) : token.revision;
  if (token !== undefined && !['', '0', undefined].includes(options.resourceVersion))
    throw new StatusError(badRequest('specifying resource version is not allowed when using continue'));
  const at =
    served.conversion.learn === undefined
      ? from
      : await learnCollection(
          context,
          { served, prefix, options: learntOptions(prefix, { selection, at: from, token, limit }) },
          waiting,
        );
  const key = token === undefined ? singleKey(request, selection) : undefined;
  if (key !== undefined && at === undefined) return single(context, request, { selection, key });
  const page = collect(context, { served, selection, prefix, limit, at, token });
  // After the only one there can be no next page.
  return key === undefined ? page : { items: page.items, revision: page.revision };
}

/** Undefined for the newest state. */
async function startRevision(
  context: ServerContext,
  options: ListOptions,
  waiting: Waiting,
): Promise<number | undefined> {
  const version = parseVersion(options.resourceVersion);
  if (version === undefined || version === 0) return undefined;
  await waitForRevision(context, version, waiting);
  // A limit without a match rule has always meant: exactly this version.
  const exact =
    options.resourceVersionMatch === 'Exact' ||
    (options.resourceVersionMatch === undefined && (options.limit ?? 0) > 0);
  return exact ? version : undefined;
}

/** Where the only object is stored that can be in the list; undefined when there may be several. */
function singleKey({ served, namespace: asked }: PageRequest, selection: Selection): string | undefined {
  const namespace = (asked ?? '') === '' ? selection.namespace : asked;
  if (selection.name === undefined || (served.definition.namespaced && (namespace ?? '') === '')) return undefined;
  return objectKey(served.prefix, namespace, selection.name);
}

interface Single {
  readonly selection: Selection;
  readonly key: string;
}

/** A list of one name is a look-up, however many objects there are. */
function single({ store }: ServerContext, { served }: PageRequest, { selection, key }: Single): Page {
  const { revision } = store;
  const stored = store.get(key);
  if (stored === undefined) return { items: [], revision };
  const object = served.conversion.fromStored(stored.value as KubeObject);
  return { items: selection.matches?.(object) === false ? [] : [object], revision };
}

/** All that a page may show: with a selector nobody knows beforehand how much has to be looked at. */
function learntOptions(
  prefix: string,
  { selection, at, token, limit }: Omit<Collecting, 'served' | 'prefix'>,
): StoreListOptions {
  return {
    ...(at !== undefined && { at }),
    ...(token !== undefined && { after: prefix + token.after }),
    ...(limit > 0 && selection.matches === undefined && { limit }),
  };
}

interface Collecting {
  readonly served: Served;
  readonly selection: Selection;
  readonly prefix: string;
  readonly limit: number;
  readonly at: number | undefined;
  readonly token: ContinueToken | undefined;
}

/** What is read at once where a selector decides how much of it counts. */
const readMin = 500;

function collect({ store }: ServerContext, request: Collecting): Page {
  const { selection, prefix, limit, token } = request;
  const readMax = selection.matches === undefined ? limit : Math.max(limit, readMin);
  const items: KubeObject[] = [];
  let at = request.at;
  let after = token === undefined ? undefined : prefix + token.after;
  for (;;) {
    const chunk = store.list(prefix, {
      ...(at !== undefined && { at }),
      ...(after !== undefined && { after }),
      ...(limit > 0 && { limit: readMax }),
    });
    if ('expired' in chunk) throw new StatusError(tooOld(request, after));
    at = chunk.revision;
    const read = take(chunk.items, { request, items });
    after = chunk.items[read - 1]?.key ?? after;
    if (!chunk.more && read === chunk.items.length) return { items, revision: at };
    if (limit > 0 && items.length >= limit)
      return { items, revision: at, ...rest(store, request, { at, after, items }) };
  }
}

/** Adds what matches until the page is full; returns how much was looked at. */
function take(
  stored: readonly Stored[],
  { request, items }: { readonly request: Collecting; readonly items: KubeObject[] },
): number {
  const { served, selection, limit } = request;
  let read = 0;
  for (const { value } of stored) {
    if (limit > 0 && items.length >= limit) break;
    read++;
    const object = served.conversion.fromStored(value as KubeObject);
    if (selection.matches === undefined || selection.matches(object)) items.push(object);
  }
  return read;
}

interface Reached {
  readonly at: number;
  readonly after: string | undefined;
  readonly items: readonly KubeObject[];
}

/**
 * Where the next page starts and how many objects will follow. Counted for the first page and then carried along: what all
 * pages show is one revision. With a selector nobody knows how many of the rest will match.
 */
function rest(
  store: ServerContext['store'],
  { prefix, selection, token }: Collecting,
  { at, after = prefix, items }: Reached,
): Pick<Page, 'next' | 'remaining'> {
  const carried = token?.remaining === undefined ? undefined : token.remaining - items.length;
  const counted = selection.matches === undefined ? (carried ?? store.count(prefix, { at, after })) : undefined;
  const remaining = typeof counted === 'number' ? counted : undefined;
  const next = encodeContinue({ of: prefix, revision: at, after: after.slice(prefix.length), remaining });
  return { next, ...(remaining !== undefined && { remaining }) };
}

function tooOld({ prefix, token }: Collecting, after: string | undefined): Status {
  if (token === undefined) return expired('The resourceVersion for the provided list is too old.');
  const status = expired(
    'The provided continue parameter is too old to display a consistent list result. Start again without it, or go on ' +
      'with the token in this answer: what changed since the first page may then show up or be missing.',
  );
  const next = encodeContinue({
    of: prefix,
    revision: undefined,
    after: (after ?? prefix).slice(prefix.length),
    remaining: undefined,
  });
  return { ...status, metadata: { continue: next } };
}

export function listOf({ definition, apiVersion }: Served, { items, revision, next, remaining }: Page): KubeList {
  return Object.freeze({
    kind: `${definition.kind}List`,
    apiVersion,
    metadata: Object.freeze({
      resourceVersion: String(revision),
      ...(next !== undefined && { continue: next }),
      ...(remaining !== undefined && remaining > 0 && { remainingItemCount: remaining }),
    }),
    items: Object.freeze(items),
  });
}
