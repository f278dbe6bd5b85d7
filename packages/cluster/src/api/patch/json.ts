import { equal } from '../../base/equal.ts';
import { formatExactJson } from '../../base/exact-json.ts';
import { isObject, type JsonObject, put } from '../record.ts';
import { badRequest, failure, type Status, StatusError } from '../status.ts';
import { noOperation, noOperations } from './unreadable.ts';

/*
 * JSON Patch (RFC 6902). Containers on the way to a change are copied once, everything else stays shared with the
 * object, so that a patch of one label does not copy the object. Names on `Object.prototype` are never looked up.
 */
const operationsMax = 10_000;
const copiedBytesMax = 3 * 1024 * 1024;

/**
 * Applies the operations in their order, all or none.
 * Throws 400 for what is no JSON Patch, 413 above 10,000 operations, 422 when an operation cannot be applied, a `test`
 * fails, a path reaches for a prototype, or `copy` operations add up to more than 3 MiB.
 */
export function applyJsonPatch(object: JsonObject, patch: unknown): JsonObject {
  // As upstream reads it: no list of operations is one without any.
  if (patch === null) return object;
  if (!Array.isArray(patch)) throw new StatusError(badRequest(`error decoding patch: ${noOperations(patch)}`));
  if (patch.length > operationsMax) {
    const message = `Request entity too large: The allowed maximum operations in a JSON patch is ${operationsMax}, got ${patch.length}`;
    throw new StatusError(failure(413, 'RequestEntityTooLarge', message));
  }
  const draft: Draft = { root: object, owned: new Set(), copiedBytes: 0 };
  const unreadable = patch.find((operation) => operation !== null && !isObject(operation)) as unknown;
  if (unreadable !== undefined) throw new StatusError(badRequest(`error decoding patch: ${noOperation(unreadable)}`));
  patch.forEach((operation: unknown, index) => {
    applyOne(draft, decode(isObject(operation) ? operation : {}, index));
  });
  if (!isObject(draft.root)) throw new StatusError(badRequest('the patched object is no JSON object'));
  return draft.root;
}

interface Draft {
  root: unknown;
  /** Containers that this patch made, and may therefore change in place. */
  readonly owned: Set<object>;
  copiedBytes: number;
}

interface PatchOperation {
  readonly op: string;
  readonly path: readonly string[];
  readonly from: readonly string[];
  readonly value: unknown;
  /** How the operation is named in messages. */
  readonly name: string;
}

function decode(operation: JsonObject, index: number): PatchOperation {
  const { op, path, from, value } = operation;
  if (typeof op !== 'string') throw new StatusError(rejected(`operation ${index}`, 'it has no "op"'));
  const name = `operation ${index} (${op} ${typeof path === 'string' ? path : '?'})`;
  if (!operations.has(op)) throw new StatusError(rejected(name, 'unexpected kind of operation'));
  if (typeof path !== 'string') throw new StatusError(badRequest(`${name} of the JSON patch has no "path"`));
  const takesFrom = op === 'move' || op === 'copy';
  if (takesFrom && typeof from !== 'string') {
    throw new StatusError(badRequest(`${name} of the JSON patch has no "from"`));
  }
  if (!takesFrom && op !== 'remove' && value === undefined) {
    throw new StatusError(badRequest(`${name} of the JSON patch has no "value"`));
  }
  return {
    op,
    path: tokens(path, name),
    from: takesFrom && typeof from === 'string' ? tokens(from, name) : [],
    value,
    name,
  };
}

const unexpected = 'the value is not the expected one';

/** Whether a patch was refused because of a `test` of its own. */
export function isFailedTest(error: unknown): boolean {
  return error instanceof StatusError && error.status.message?.endsWith(unexpected) === true;
}

const operations: ReadonlySet<string> = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

function tokens(pointer: string, name: string): readonly string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new StatusError(rejected(name, 'a path starts with "/"'));
  if (/~(?![01])/.test(pointer)) throw new StatusError(rejected(name, '"~" stands before 0 or 1 only'));
  const list = pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  for (const [index, token] of list.entries()) {
    if (token === '__proto__' || (token === 'prototype' && list[index - 1] === 'constructor')) {
      throw new StatusError(rejected(name, 'a path may not reach for a prototype'));
    }
  }
  return list;
}

function applyOne(draft: Draft, operation: PatchOperation): void {
  const { op, path, from, value, name } = operation;
  switch (op) {
    case 'add':
      add(draft, path, { value, name });
      return;
    case 'remove':
      remove(draft, path, name);
      return;
    case 'replace':
      replace(draft, path, { value, name });
      return;
    case 'move': {
      if (from.length < path.length && from.every((token, index) => token === path[index])) {
        throw new StatusError(rejected(name, 'a value cannot be moved into itself'));
      }
      const moved = from.length === 0 ? draft.root : remove(draft, from, name);
      add(draft, path, { value: moved, name });
      return;
    }
    case 'copy': {
      const copied = read(draft.root, from, name);
      draft.copiedBytes += Buffer.byteLength(formatExactJson(copied));
      if (draft.copiedBytes > copiedBytesMax) {
        throw new StatusError(rejected(name, `copies add up to more than ${copiedBytesMax} bytes`));
      }
      // Both places may be changed by later operations: neither may do so in place any more.
      disown(draft, copied);
      add(draft, path, { value: copied, name });
      return;
    }
    default:
      if (!equal(read(draft.root, path, name), value)) {
        throw new StatusError(rejected(name, unexpected));
      }
  }
}

interface Change {
  readonly value: unknown;
  readonly name: string;
}

function add(draft: Draft, path: readonly string[], { value, name }: Change): void {
  const last = path.at(-1);
  if (last === undefined) {
    draft.root = value;
    return;
  }
  const parent = writable(draft, path.slice(0, -1), name);
  if (!Array.isArray(parent)) {
    put(parent, last, value);
    return;
  }
  const index = last === '-' ? parent.length : indexOf(last);
  if (index === undefined || index > parent.length) throw new StatusError(rejected(name, `no index "${last}" here`));
  parent.splice(index, 0, value);
}

function replace(draft: Draft, path: readonly string[], { value, name }: Change): void {
  const last = path.at(-1);
  if (last === undefined) {
    draft.root = value;
    return;
  }
  read(draft.root, path, name);
  const parent = writable(draft, path.slice(0, -1), name);
  if (Array.isArray(parent)) parent[Number(last)] = value;
  else put(parent, last, value);
}

function remove(draft: Draft, path: readonly string[], name: string): unknown {
  const last = path.at(-1);
  if (last === undefined) throw new StatusError(rejected(name, 'the whole object cannot be removed'));
  const removed = read(draft.root, path, name);
  const parent = writable(draft, path.slice(0, -1), name);
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
  return removed;
}

function read(root: unknown, path: readonly string[], name: string): unknown {
  let at = root;
  for (const token of path) {
    at = child(at, token);
    if (at === undefined) throw new StatusError(rejected(name, `no value at "${token}"`));
  }
  return at;
}

function child(container: unknown, token: string): unknown {
  if (Array.isArray(container)) {
    const index = indexOf(token);
    return index === undefined ? undefined : (container[index] as unknown);
  }
  return isObject(container) && Object.hasOwn(container, token) ? container[token] : undefined;
}

/** The container at the path, copied as far as it is still shared. */
function writable(draft: Draft, path: readonly string[], name: string): unknown[] | Record<string, unknown> {
  read(draft.root, path, name);
  let at = ownCopy(draft, draft.root, name);
  draft.root = at;
  for (const token of path) {
    const next = ownCopy(draft, child(at, token), name);
    if (Array.isArray(at)) at[Number(token)] = next;
    else put(at, token, next);
    at = next;
  }
  return at;
}

function ownCopy(draft: Draft, value: unknown, name: string): unknown[] | Record<string, unknown> {
  if (typeof value !== 'object' || value === null) {
    throw new StatusError(rejected(name, 'a value on the path is neither object nor array'));
  }
  if (draft.owned.has(value)) return value as unknown[] | Record<string, unknown>;
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
  draft.owned.add(copy);
  return copy;
}

function disown(draft: Draft, value: unknown): void {
  if (typeof value !== 'object' || value === null || draft.owned.size === 0) return;
  draft.owned.delete(value);
  for (const part of Object.values(value)) disown(draft, part);
}

/** RFC 6901: no sign, no leading zero. */
function indexOf(token: string): number | undefined {
  return /^(?:0|[1-9]\d{0,9})$/.test(token) ? Number(token) : undefined;
}

function rejected(name: string, why: string): Status {
  const message = `the server rejected our request due to an error in our request: ${name}: ${why}`;
  return failure(422, 'Invalid', message);
}
