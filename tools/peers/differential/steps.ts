import type { JsonObject, Random, SchemaNode } from '@signalbox/cluster';
import type { Played } from './kinds.ts';
import { type Edit, pick, someEdit, withEdit } from './mutate.ts';
import { applyQueries, deletionOptions, deletionQueries, readingQueries, selections } from './queries.ts';

/** One request, which makes itself of what a server has at the time. */
export interface Step {
  readonly does: Deed;
  readonly played: Played;
  readonly name: string;
  readonly example: JsonObject;
  /** Made to what there is, or to the example. */
  readonly edits: readonly Edit[];
  /** With `{rv}` and `{uid}` for those of the object. */
  readonly query: string;
  /** Of a deletion; `{rv}` and `{uid}` as in the query. */
  readonly options?: unknown;
}

export type Deed =
  | ('create' | 'update' | 'status' | 'merge' | 'strategic' | 'json' | 'apply')
  | ('delete' | 'get' | 'table' | 'list' | 'collection');

export interface Asking {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Deciding {
  readonly random: Random;
  readonly schema: SchemaNode | undefined;
  /** What the server has under the name; undefined: nothing. */
  readonly current: JsonObject | undefined;
}

const verbs: readonly Deed[] = [
  ...(['update', 'update', 'update', 'status', 'status', 'merge', 'merge', 'merge', 'strategic', 'strategic'] as const),
  ...(['json', 'json', 'apply', 'apply', 'delete', 'delete', 'get', 'table', 'list', 'list', 'collection'] as const),
];
/** Where there is nothing yet. */
const beginnings: readonly Deed[] = [
  'create',
  'create',
  'create',
  'create',
  'create',
  'apply',
  'apply',
  'list',
  'delete',
];
const queries = ['', '', '', 'fieldValidation=Strict', 'fieldValidation=Ignore', 'dryRun=All'];
const edited: ReadonlySet<Deed> = new Set(['create', 'update', 'status', 'merge', 'strategic', 'json', 'apply']);

/** What is asked next of an object of a kind. */
export function nextStep(played: Played, name: string, { random, schema, current }: Deciding): Step {
  const example = pick(played.examples, random) ?? {};
  const chosen = pick<Deed>(current === undefined ? beginnings : verbs, random) ?? 'get';
  const does = possible(chosen, played);
  const from = does === 'apply' || current === undefined ? bodyOf(played, { name, example }) : current;
  const edits: Edit[] = [];
  let result = from;
  // Sometimes nothing is wrong.
  for (let count = edited.has(does) ? random.below(3) : 0; count > 0; count--) {
    const edit = someEdit(result, { random, schema });
    edits.push(edit);
    result = withEdit(result, edit);
  }
  return { played, name, example, edits, does, ...askedFor(does, random) };
}

function possible(does: Deed, { kind, definition, hasStatus }: Played): Deed {
  // The account that all pods run as is kept.
  if (does === 'collection' && kind === 'ServiceAccount') return 'list';
  if (does === 'strategic' && definition === undefined) return 'merge';
  return does === 'status' && !hasStatus ? 'update' : does;
}

function askedFor(does: Deed, random: Random): Pick<Step, 'query' | 'options'> {
  const of = (all: readonly string[]): string => pick(all, random) ?? '';
  switch (does) {
    case 'delete':
      return { query: of(deletionQueries), options: pick(deletionOptions, random) };
    case 'collection':
      return { query: joined(of(selections), of(deletionQueries)), options: pick(deletionOptions, random) };
    case 'list':
      return { query: joined(of(selections), of(readingQueries)) };
    case 'table':
      return { query: joined('includeObject=None', of(selections)) };
    case 'apply':
      return { query: joined(of(applyQueries), of(queries)) };
    case 'get':
      return { query: '' };
    default:
      return { query: of(queries) };
  }
}

function joined(...queries: readonly string[]): string {
  return queries.filter((query) => query !== '').join('&');
}

export function bodyOf(
  { kind, apiVersion, isNamespaced }: Played,
  { name, example }: { readonly name: string; readonly example: JsonObject },
): JsonObject {
  const { metadata = {}, ...rest } = example as { readonly metadata?: JsonObject };
  return { apiVersion, kind, metadata: { name, ...(isNamespaced && { namespace: 'played' }), ...metadata }, ...rest };
}

const json = { accept: 'application/json', 'content-type': 'application/json' };
const mediaTypes = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** The request for a server that has `current`. */
export function requestOf(step: Step, current: JsonObject | undefined): Asking {
  const { does, played, name, example, edits, options } = step;
  const collection = pathOf(played);
  const one = `${collection}/${name}`;
  const query = step.query === '' ? '' : `?${filled(step.query, current)}`;
  const made = (from: JsonObject): string => JSON.stringify(edits.reduce(withEdit, from));
  const deletion = { method: 'DELETE', headers: json, body: filled(JSON.stringify(options ?? {}), current) };
  const patch = (type: keyof typeof mediaTypes, body: unknown): Asking => ({
    ...{ method: 'PATCH', path: `${one}${query}`, headers: { ...json, 'content-type': mediaTypes[type] } },
    body: JSON.stringify(body),
  });
  switch (does) {
    case 'create':
      return {
        ...{ method: 'POST', path: `${collection}${query}`, headers: json },
        body: made(bodyOf(played, { name, example })),
      };
    case 'update':
      return { method: 'PUT', path: `${one}${query}`, headers: json, body: made(current ?? {}) };
    case 'status':
      return { method: 'PUT', path: `${one}/status${query}`, headers: json, body: made(current ?? {}) };
    case 'merge':
    case 'strategic':
      return patch(does, edits.reduce(mergeOf, {}));
    case 'json':
      return patch('json', edits.map(operationOf));
    case 'apply':
      return patch('apply', edits.reduce(withEdit, bodyOf(played, { name, example })));
    case 'delete':
      return { ...deletion, path: `${one}${query}` };
    case 'collection':
      return { ...deletion, path: `${collection}${query}` };
    case 'get':
      return { method: 'GET', path: one, headers: json };
    case 'list':
      return { method: 'GET', path: `${collection}${query}`, headers: { accept: 'application/json' } };
    case 'table': {
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      return { method: 'GET', path: `${collection}${query}`, headers: { accept } };
    }
    default:
      return does satisfies never;
  }
}

/** With what an object has for `{rv}` and `{uid}`. */
export function filled(text: string, current: JsonObject | undefined): string {
  const { resourceVersion = '0', uid = 'none' } = (current?.['metadata'] ?? {}) as Readonly<Record<string, string>>;
  return text.replaceAll('{rv}', resourceVersion).replaceAll('{uid}', uid);
}

export function pathOf({ apiVersion, resource, isNamespaced }: Played): string {
  const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${group}${isNamespaced ? '/namespaces/played' : ''}/${resource}`;
}

/** Lists are replaced whole by a merge, so an edit within one becomes one of all that is below it. */
function mergeOf(patch: JsonObject, { path, ...edit }: Edit): JsonObject {
  const within = path.findIndex((step) => typeof step === 'number');
  const fields = within === -1 ? path : path.slice(0, within);
  const value = edit.do === 'put' && within === -1 ? edit.value : edit.do === 'put' ? [edit.value] : null;
  return withEdit(patch, { do: 'put', path: fields, value });
}

function operationOf({ path, ...edit }: Edit): JsonObject {
  const pointer = `/${path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
  if (edit.do === 'remove') return { op: 'remove', path: pointer };
  if (edit.do === 'repeat') return { op: 'copy', from: pointer, path: pointer.replace(/\d+$/, '-') };
  return { op: 'add', path: pointer, value: edit.value };
}
