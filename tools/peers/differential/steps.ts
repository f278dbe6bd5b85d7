import { type JsonObject, type Random, schemaOf } from '@signalbox/cluster';
import type { Door, Played } from './kinds/played.ts';
import { type Edit, pick, someEdit, withEdit } from './mutate.ts';
import { applyQueries, deletionOptions, deletionQueries, readingQueries, selections } from './queries.ts';
import { bodyTwists, generated, readingForms, type Twist } from './twists.ts';

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
  readonly twist?: Twist | undefined;
  /** Of what is read. */
  readonly accept?: string;
  /** Of what is done at a door. */
  readonly at?: { readonly door: Door; readonly method: Door['methods'][number] };
}

export type Deed =
  | ('create' | 'update' | 'merge' | 'strategic' | 'json' | 'apply')
  | ('status' | 'status-merge' | 'status-json' | 'status-apply' | 'door')
  | ('delete' | 'get' | 'table' | 'list' | 'collection');

export interface Asking {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Deciding {
  readonly random: Random;
  /** What the server has under the name; undefined: nothing. */
  readonly current: JsonObject | undefined;
}

const verbs: readonly Deed[] = [
  ...([
    'update',
    'update',
    'update',
    'update',
    'merge',
    'merge',
    'merge',
    'strategic',
    'strategic',
    'json',
    'json',
  ] as const),
  ...([
    'status',
    'status',
    'status-merge',
    'status-json',
    'status-apply',
    'apply',
    'apply',
    'door',
    'door',
    'door',
  ] as const),
  ...(['delete', 'delete', 'get', 'table', 'list', 'list', 'collection'] as const),
];
/** Where there is nothing yet. */
const beginnings: readonly Deed[] = [
  ...(['create', 'create', 'create', 'create', 'create', 'create', 'create', 'create', 'create', 'create'] as const),
  ...(['apply', 'apply', 'list', 'delete', 'update', 'merge', 'status', 'get', 'door'] as const),
];
const queries = ['', '', '', 'fieldValidation=Strict', 'fieldValidation=Ignore', 'dryRun=All'];
const rareQueries = [
  'dryRun=Some',
  'fieldValidation=Other',
  'fieldManager=a',
  'fieldManager=%07',
  'unheardOf=a',
  'pretty=true',
];
const edited: ReadonlySet<Deed> = new Set<Deed>([
  ...(['create', 'update', 'merge', 'strategic', 'json', 'apply'] as const),
  ...(['status', 'status-merge', 'status-json', 'status-apply', 'door'] as const),
]);
/** One in so many requests is twisted. */
const stepsPerTwist = 7;

/** What is asked next of an object of a kind. */
export function nextStep(played: Played, name: string, { random, current }: Deciding): Step {
  const example = pick(played.examples, random) ?? {};
  const chosen = pick<Deed>(current === undefined ? beginnings : verbs, random) ?? 'get';
  const does = possible(played.isReview ? 'create' : chosen, played);
  const at = does === 'door' ? doorOf(played, random) : undefined;
  const inner = pick(at?.door.examples ?? [], random) ?? example;
  const isWhole = does === 'apply' || current === undefined || (at !== undefined && at.door.examples !== undefined);
  const from = isWhole ? bodyOf(played, { name, example: inner }) : current;
  const schema = at === undefined ? played.schema() : schemaOf(at.door.definition);
  const edits: Edit[] = [];
  let result = from;
  // Sometimes nothing is wrong.
  for (let count = edited.has(does) ? random.below(3) : 0; count > 0; count--) {
    const edit = someEdit(result, { random, schema });
    if (takesName(edit, played)) continue;
    edits.push(edit);
    result = withEdit(result, edit);
  }
  const asked = askedFor(does, { random, played, name });
  const twisted = edited.has(does) && random.below(stepsPerTwist) === 0 ? someTwist(does, random) : undefined;
  const twist = isHarmful(twisted, played) ? undefined : twisted;
  return { played, name, example: inner, edits, does, ...asked, twist, ...(at !== undefined && { at }) };
}

/** Upstream waits for half a minute when a Service without a name is to get an address, and for every Service after it. */
function isHarmful(twist: Twist | undefined, { kind }: Played): boolean {
  return kind === 'Service' && (twist?.name === 'null' || twist?.name === 'no name');
}

function takesName({ path }: Edit, { kind }: Played): boolean {
  return kind === 'Service' && path.length === 1 && path[0] === 'metadata';
}

function someTwist(does: Deed, random: Random): Twist | undefined {
  return does === 'create' && random.below(6) === 0 ? generated : pick(bodyTwists, random);
}

function doorOf({ doors }: Played, random: Random): NonNullable<Step['at']> | undefined {
  const door = pick(doors, random);
  const method = pick(door?.methods ?? [], random);
  return door === undefined || method === undefined ? undefined : { door, method };
}

function possible(does: Deed, { kind, isCustom, hasStatus, doors }: Played): Deed {
  if (does === 'strategic' && isCustom) return 'merge';
  if (does === 'door' && doors.length === 0) return 'json';
  if (does === 'collection' && kind === 'Namespace') return 'list';
  return does.startsWith('status') && !hasStatus ? 'update' : does;
}

interface Asked {
  readonly random: Random;
  readonly played: Played;
  readonly name: string;
}

function askedFor(does: Deed, { random, played, name }: Asked): Pick<Step, 'query' | 'options' | 'accept'> {
  const of = (all: readonly string[]): string => pick(all, random) ?? '';
  const selection = played.isShared ? `fieldSelector=metadata.name%3D${played.named(name)}` : of(selections);
  switch (does) {
    case 'delete':
      return { query: of(deletionQueries), options: pick(deletionOptions, random) };
    case 'collection':
      return { query: joined(selection, of(deletionQueries)), options: pick(deletionOptions, random) };
    case 'list':
      return { query: joined(selection, of(readingQueries)), accept: of(readingForms) };
    case 'table':
      return { query: joined(of(['includeObject=None', '', 'includeObject=Object', 'includeObject=x']), selection) };
    case 'apply':
    case 'status-apply':
      return { query: joined(of(applyQueries), of(queries)) };
    case 'get':
      return {
        query: of(['', '', 'resourceVersion=0', 'resourceVersion=x', 'includeObject=None']),
        accept: of(readingForms),
      };
    default:
      return { query: random.below(12) === 0 ? of(rareQueries) : of(queries) };
  }
}

function joined(...queries: readonly string[]): string {
  return queries.filter((query) => query !== '').join('&');
}

export function bodyOf(
  { kind, apiVersion, isNamespaced, isReview, named }: Played,
  { name, example }: { readonly name: string; readonly example: JsonObject },
): JsonObject {
  const { metadata = {}, ...rest } = example as { readonly metadata?: JsonObject };
  const place = { ...(!isReview && { name: named(name) }), ...(isNamespaced && { namespace: 'played' }) };
  const body = { apiVersion, kind, metadata: { ...place, ...metadata }, ...rest };
  return JSON.parse(JSON.stringify(body).replaceAll('{name}', name)) as JsonObject;
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
  const asking = plainly(step, current);
  return step.twist?.made(asking) ?? asking;
}

function plainly(step: Step, current: JsonObject | undefined): Asking {
  const { does, played, name, example, edits, options, at, accept = json.accept } = step;
  const collection = pathOf(played);
  const one = `${collection}/${played.named(name)}`;
  const query = step.query === '' ? '' : `?${filled(step.query, current)}`;
  const whole = (): JsonObject => edits.reduce(withEdit, bodyOf(played, { name, example }));
  const changed = (): string => JSON.stringify(current === undefined ? whole() : edits.reduce(withEdit, current));
  const deletion = { method: 'DELETE', headers: json, body: filled(JSON.stringify(options ?? {}), current) };
  const patch = (type: keyof typeof mediaTypes, body: unknown, below = ''): Asking => ({
    ...{ method: 'PATCH', path: `${one}${below}${query}`, headers: { ...json, 'content-type': mediaTypes[type] } },
    body: filled(JSON.stringify(body), current),
  });
  switch (does) {
    case 'create':
      return { method: 'POST', path: `${collection}${query}`, headers: json, body: JSON.stringify(whole()) };
    case 'update':
      return { method: 'PUT', path: `${one}${query}`, headers: json, body: changed() };
    case 'status':
      return { method: 'PUT', path: `${one}/status${query}`, headers: json, body: changed() };
    case 'merge':
    case 'strategic':
      return patch(does, edits.reduce(mergeOf, {}));
    case 'status-merge':
      return patch('merge', edits.reduce(mergeOf, {}), '/status');
    case 'json':
      return patch('json', edits.map(operationOf));
    case 'status-json':
      return patch('json', edits.map(operationOf), '/status');
    case 'apply':
      return patch('apply', whole());
    case 'status-apply':
      return patch('apply', whole(), '/status');
    case 'door':
      return atDoor(step, { path: `${one}/${at?.door.path ?? ''}${query}`, current });
    case 'delete':
      return { ...deletion, path: `${one}${query}` };
    case 'collection':
      return { ...deletion, path: `${collection}${query}` };
    case 'get':
      return { method: 'GET', path: `${one}${query}`, headers: { accept } };
    case 'list':
      return { method: 'GET', path: `${collection}${query}`, headers: { accept } };
    case 'table':
      return {
        method: 'GET',
        path: `${collection}${query}`,
        headers: { accept: `${json.accept};as=Table;v=v1;g=meta.k8s.io` },
      };
    default:
      return does satisfies never;
  }
}

function atDoor(
  { played, name, example, edits, at }: Step,
  { path, current }: { readonly path: string; readonly current: JsonObject | undefined },
): Asking {
  const method = at?.method ?? 'GET';
  if (method === 'GET') return { method, path, headers: { accept: json.accept } };
  const headers = method === 'PATCH' ? { ...json, 'content-type': mediaTypes.merge } : json;
  const own = at?.door.examples === undefined;
  const body = own && current !== undefined ? current : ownBody(example, { played, name, own });
  const made = method === 'PATCH' ? edits.reduce(mergeOf, {}) : edits.reduce(withEdit, body);
  return { method, path, headers, body: filled(JSON.stringify(made), current) };
}

function ownBody(
  example: JsonObject,
  { played, name, own }: { readonly played: Played; readonly name: string; readonly own: boolean },
): JsonObject {
  if (own) return bodyOf(played, { name, example });
  return JSON.parse(JSON.stringify(example).replaceAll('{name}', played.named(name))) as JsonObject;
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
