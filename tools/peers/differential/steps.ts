import type { JsonObject, Random, SchemaNode } from '@signalbox/cluster';
import type { Played } from './kinds.ts';
import { type Edit, pick, someEdit, withEdit } from './mutate.ts';

/** One request, which makes itself of what a server has at the time. */
export interface Step {
  readonly does: 'create' | 'update' | 'status' | 'merge' | 'strategic' | 'json' | 'delete' | 'get' | 'table';
  readonly played: Played;
  readonly name: string;
  readonly example: JsonObject;
  /** Made to what there is, or to the example. */
  readonly edits: readonly Edit[];
  readonly query: string;
}

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

const verbs = ['update', 'update', 'status', 'merge', 'merge', 'strategic', 'json', 'delete', 'get', 'table'] as const;
const queries = ['', '', '', 'fieldValidation=Strict', 'fieldValidation=Ignore', 'dryRun=All'];

/** What is asked next of an object of a kind. */
export function nextStep(played: Played, name: string, { random, schema, current }: Deciding): Step {
  const example = pick(played.examples, random) ?? {};
  const does = current === undefined ? 'create' : (pick(verbs, random) ?? 'get');
  const from = current ?? bodyOf(played, { name, example });
  const edits: Edit[] = [];
  let edited = from;
  // Sometimes nothing is wrong.
  for (let count = random.below(3); count > 0; count--) {
    const edit = someEdit(edited, { random, schema });
    edits.push(edit);
    edited = withEdit(edited, edit);
  }
  const writes = does !== 'get' && does !== 'table' && does !== 'delete';
  const isCustom = played.definition === undefined && does === 'strategic';
  return {
    ...{ played, name, example, edits },
    does: isCustom ? 'merge' : does === 'status' && !played.hasStatus ? 'update' : does,
    query: writes ? (pick(queries, random) ?? '') : '',
  };
}

function bodyOf(
  { kind, apiVersion, isNamespaced }: Played,
  { name, example }: { readonly name: string; readonly example: JsonObject },
): JsonObject {
  const { metadata = {}, ...rest } = example as { readonly metadata?: JsonObject };
  return { apiVersion, kind, metadata: { name, ...(isNamespaced && { namespace: 'played' }), ...metadata }, ...rest };
}

/** The request for a server that has `current`. */
export function requestOf(step: Step, current: JsonObject | undefined): Asking {
  const { does, played, name, example, edits, query } = step;
  const collection = pathOf(played);
  const one = `${collection}/${name}`;
  const asked = query === '' ? '' : `?${query}`;
  const json = { accept: 'application/json', 'content-type': 'application/json' };
  const made = (from: JsonObject): JsonObject => edits.reduce(withEdit, from);
  switch (does) {
    case 'create':
      return {
        method: 'POST',
        path: `${collection}${asked}`,
        headers: json,
        body: JSON.stringify(made(bodyOf(played, { name, example }))),
      };
    case 'update':
      return { method: 'PUT', path: `${one}${asked}`, headers: json, body: JSON.stringify(made(current ?? {})) };
    case 'status':
      return { method: 'PUT', path: `${one}/status${asked}`, headers: json, body: JSON.stringify(made(current ?? {})) };
    case 'merge':
    case 'strategic': {
      const type = does === 'merge' ? 'merge-patch' : 'strategic-merge-patch';
      const headers = { ...json, 'content-type': `application/${type}+json` };
      return { method: 'PATCH', path: `${one}${asked}`, headers, body: JSON.stringify(edits.reduce(mergeOf, {})) };
    }
    case 'json': {
      const headers = { ...json, 'content-type': 'application/json-patch+json' };
      return { method: 'PATCH', path: `${one}${asked}`, headers, body: JSON.stringify(edits.map(operationOf)) };
    }
    case 'delete':
      return { method: 'DELETE', path: one, headers: json, body: JSON.stringify({ gracePeriodSeconds: 0 }) };
    case 'get':
      return { method: 'GET', path: one, headers: json };
    case 'table': {
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      return { method: 'GET', path: `${collection}?includeObject=None`, headers: { accept } };
    }
    default:
      return does satisfies never;
  }
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
