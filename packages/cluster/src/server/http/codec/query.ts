import { type FieldPath, type Issue, root } from '../../../api/issue.ts';
import type { DeleteOptions, ListOptions, WatchOperation, WriteOptions } from '../../../api/operation.ts';
import { badRequest, invalid, StatusError } from '../../../api/status.ts';
import { parseGoDuration } from '../../../base/duration.ts';
import { fresh } from '../../../base/fresh.ts';

/** A request's query, decoded once. Of a repeated option the first counts, as upstream. */
export type Query = Omit<URLSearchParams, 'append' | 'delete' | 'set' | 'sort'>;

const fieldManagerCharactersMax = 128;

/** Nobody changes a query. */
const none: Query = new URLSearchParams();

/** Throws a 400 for a query that is no valid percent-encoding. */
export function parseQuery(text: string): Query {
  if (text === '') return none;
  if (/%(?![0-9a-fA-F]{2})/.test(text)) throw new StatusError(badRequest('the query holds a broken percent-encoding'));
  return new URLSearchParams(text);
}

/** With what only a watch may ask for: the list refuses it, after selectors that it cannot read. */
export function listOptions(query: Query): ListOptions & Pick<WatchOperation['options'], 'sendInitialEvents'> {
  integer(query, 'timeoutSeconds');
  const initial = flag(query, 'sendInitialEvents');
  return { ...fresh, ...selection(query), ...(initial !== undefined && { sendInitialEvents: initial }) };
}

function selection(query: Query): ListOptions {
  const limit = integer(query, 'limit');
  return {
    ...fresh,
    ...text(query, 'labelSelector'),
    ...text(query, 'fieldSelector'),
    // A negative one is none, as upstream.
    ...(limit !== undefined && limit > 0 && { limit }),
    ...text(query, 'continue'),
    ...text(query, 'resourceVersion'),
    ...text(query, 'resourceVersionMatch'),
  };
}

export function watchOptions(query: Query): WatchOperation['options'] {
  const seconds = integer(query, 'timeoutSeconds');
  const bookmarks = flag(query, 'allowWatchBookmarks');
  const initial = flag(query, 'sendInitialEvents');
  return {
    ...fresh,
    ...selection(query),
    ...(bookmarks !== undefined && { allowWatchBookmarks: bookmarks }),
    ...(initial !== undefined && { sendInitialEvents: initial }),
    // Upstream takes 0 for "no wish", and what is less for "at once".
    ...(seconds !== undefined && seconds !== 0 && { timeoutMs: Math.max(1, seconds * 1000) }),
  };
}

export function isWatch(query: Query): boolean {
  return flag(query, 'watch') ?? false;
}

/** `?timeout=`: how long the client wants to wait at most. Whatever is no duration of Go's is a 400, as upstream. */
export function limitOf(query: Query): { readonly timeoutMs?: number } {
  const text = query.get('timeout') ?? '';
  if (text === '') return {};
  const found = parseGoDuration(text);
  if (typeof found === 'string')
    throw new StatusError(badRequest(`invalid timeout specified in the request URL - ${found}`));
  return found > 0 ? { timeoutMs: found } : {};
}

/** How the answer is to look, as far as the query says. */
export interface ShowOptions {
  /** What the rows of a table carry of their objects. */
  readonly includeObject: 'None' | 'Metadata' | 'Object';
  readonly pretty: boolean;
}

export function showOptions(query: Query): ShowOptions {
  const includeObject = query.get('includeObject') || 'Metadata';
  if (includeObject !== 'None' && includeObject !== 'Metadata' && includeObject !== 'Object')
    throw new StatusError(
      badRequest(
        `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(includeObject)}: must be 'Metadata', 'Object', 'None', or empty`,
      ),
    );
  return { includeObject, pretty: /^(true|1)$/.test(query.get('pretty') ?? '') };
}

/** `kind` names the options in the message: `CreateOptions`, `UpdateOptions`, `PatchOptions`. */
export function writeOptions(query: Query, kind: string): WriteOptions {
  const dryRun = dryRunOf(query.getAll('dryRun'), kind);
  const manager = query.get('fieldManager') || undefined;
  const validation = query.get('fieldValidation') || undefined;
  const issues = [
    ...(manager === undefined ? [] : fieldManagerIssues(manager, root('fieldManager'))),
    ...(validation === undefined ? [] : oneOf(validation, ['', 'Ignore', 'Strict', 'Warn'], root('fieldValidation'))),
  ];
  if (issues.length > 0) throw invalidOptions(kind, issues);
  return {
    ...(dryRun !== undefined && { dryRun }),
    ...(manager !== undefined && { fieldManager: manager }),
    ...(validation !== undefined && { fieldValidation: validation as 'Ignore' | 'Warn' | 'Strict' }),
  };
}

export function patchOptions(query: Query): WriteOptions & { readonly force?: boolean } {
  const force = flag(query, 'force');
  return { ...fresh, ...writeOptions(query, 'PatchOptions'), ...(force !== undefined && { force }) };
}

/** From the body when there is one, else from the query, as upstream. */
export function deleteOptions(query: Query, body: unknown): DeleteOptions {
  return body === undefined ? deleteOptionsOf(rawFromQuery(query)) : deleteOptionsOf(rawFromBody(body));
}

interface RawDeleteOptions {
  readonly dryRun: readonly string[];
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly preconditions: DeleteOptions['preconditions'];
}

function rawFromQuery(query: Query): RawDeleteOptions {
  return {
    dryRun: query.getAll('dryRun'),
    gracePeriodSeconds: integer(query, 'gracePeriodSeconds'),
    propagationPolicy: query.get('propagationPolicy') || undefined,
    orphanDependents: flag(query, 'orphanDependents'),
    preconditions: undefined,
  };
}

function rawFromBody(body: unknown): RawDeleteOptions {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw wrongBody('the body', 'an object');
  const { kind, dryRun, gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions } = body as Readonly<
    Record<string, unknown>
  >;
  if (kind !== undefined && kind !== 'DeleteOptions')
    throw new StatusError(badRequest(`the object provided is a ${JSON.stringify(kind)}, not a DeleteOptions`));
  return {
    dryRun: dryRun === undefined || dryRun === null ? [] : strings(dryRun, 'dryRun'),
    gracePeriodSeconds: ofType('number', gracePeriodSeconds, 'gracePeriodSeconds'),
    propagationPolicy: ofType('string', propagationPolicy, 'propagationPolicy'),
    orphanDependents: ofType('boolean', orphanDependents, 'orphanDependents'),
    preconditions: preconditionsOf(preconditions),
  };
}

function deleteOptionsOf(raw: RawDeleteOptions): DeleteOptions {
  const { gracePeriodSeconds: seconds, propagationPolicy: policy, orphanDependents: orphan, preconditions } = raw;
  const dryRun = dryRunOf(raw.dryRun, 'DeleteOptions');
  if (policy !== undefined && orphan !== undefined)
    throw invalidOptions('DeleteOptions', [
      root('propagationPolicy').invalid(policy, 'orphanDependents and deletionPropagation cannot be both set'),
    ]);
  if (policy !== undefined) {
    const issues = oneOf(policy, ['Foreground', 'Background', 'Orphan', 'nil'], root('propagationPolicy'));
    if (issues.length > 0) throw invalidOptions('DeleteOptions', issues);
  }
  if (seconds !== undefined && !Number.isSafeInteger(seconds)) throw wrongBody('gracePeriodSeconds', 'an integer');
  const propagationPolicy =
    orphan === undefined ? (policy as DeleteOptions['propagationPolicy']) : orphan ? 'Orphan' : 'Background';
  return {
    ...(dryRun !== undefined && { dryRun }),
    // Upstream reads a negative period as one second.
    ...(seconds !== undefined && { gracePeriodSeconds: seconds < 0 ? 1 : seconds }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(preconditions !== undefined && { preconditions }),
  };
}

function preconditionsOf(value: unknown): DeleteOptions['preconditions'] {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongBody('preconditions', 'an object');
  const { uid, resourceVersion } = value as Readonly<Record<string, unknown>>;
  const uidText = ofType('string', uid, 'preconditions.uid');
  const versionText = ofType('string', resourceVersion, 'preconditions.resourceVersion');
  if (uidText === undefined && versionText === undefined) return undefined;
  return {
    ...(uidText !== undefined && { uid: uidText }),
    ...(versionText !== undefined && { resourceVersion: versionText }),
  };
}

function dryRunOf(values: readonly string[], kind: string): boolean | undefined {
  const given = values.filter((value) => value !== '');
  const isKnown = given.every((value) => value === 'All');
  const issues = isKnown ? [] : [root('dryRun').notSupported(given, ['All'])];
  if (issues.length > 0) throw invalidOptions(kind, issues);
  return given.length > 0 ? true : undefined;
}

function* fieldManagerIssues(value: string, at: FieldPath): Iterable<Issue> {
  if (value.length > fieldManagerCharactersMax) yield at.tooLong(value, fieldManagerCharactersMax);
  let index = 0;
  for (const character of value) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) {
      const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      yield at.invalid(value, `invalid character U+${point} (at position ${index})`);
    }
    index += Buffer.byteLength(character);
  }
}

function oneOf(value: string, supported: readonly string[], at: FieldPath): readonly Issue[] {
  return supported.includes(value) ? [] : [at.notSupported(value, supported)];
}

function invalidOptions(kind: string, issues: readonly Issue[]): StatusError {
  return new StatusError(invalid({ group: 'meta.k8s.io', kind }, '', issues));
}

function text<K extends string>(query: Query, key: K): { readonly [key in K]?: string } {
  const value = query.get(key);
  return value === null || value === '' ? {} : ({ [key]: value } as { readonly [key in K]?: string });
}

function integer(query: Query, key: string): number | undefined {
  const value = query.get(key);
  if (value === null || value === '') return undefined;
  const number = Number(value);
  if (!/^[+-]?\d+$/.test(value) || !Number.isSafeInteger(number))
    throw new StatusError(badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`));
  return number;
}

/** Everything means true that does not say false, also a key without a value (`?watch`): as upstream. */
function flag(query: Query, key: string): boolean | undefined {
  const value = query.get(key);
  if (value === null) return undefined;
  return !['0', 'false'].includes(value.toLowerCase());
}

function strings(value: unknown, what: string): readonly string[] {
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
    throw wrongBody(what, 'a list of strings');
  return value;
}

function ofType(type: 'string', value: unknown, what: string): string | undefined;
function ofType(type: 'number', value: unknown, what: string): number | undefined;
function ofType(type: 'boolean', value: unknown, what: string): boolean | undefined;
function ofType(type: string, value: unknown, what: string): unknown {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== type) throw wrongBody(what, `a ${type}`);
  return value;
}

function wrongBody(what: string, expected: string): StatusError {
  return new StatusError(badRequest(`${what} of DeleteOptions must be ${expected}`));
}
