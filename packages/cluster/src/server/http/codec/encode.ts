import { formatYaml } from '../../../api/codec/yaml.ts';
import type { GroupVersionResource } from '../../../api/gvk.ts';
import type { KubeList, KubeObject } from '../../../api/meta.ts';
import type { Outcome, WatchEvent } from '../../../api/operation.ts';
import type { Status } from '../../../api/status.ts';
import { formatExactJson } from '../../../base/exact-json.ts';
import type { ServedApi } from '../../context/served-api.ts';
import { type Format, type MediaRange, negotiate } from './accept.ts';
import { type Answer, bytesAnswer, piecesAnswer, warningHeaders } from './answer.ts';
import type { Encodings } from './encodings.ts';
import type { ShowOptions } from './query.ts';

/** How the answer to one request is to look. */
export interface Presentation extends ShowOptions {
  readonly resource: GroupVersionResource;
  readonly accept: readonly MediaRange[];
}

export interface EncodingContext {
  readonly api: Pick<ServedApi, 'table' | 'facts'>;
  readonly encodings: Encodings;
}

/** Throws a 406 when the answer exists in no form that the client takes. */
export function encodeOutcome(
  { code, object, warnings }: Outcome,
  { presentation, context }: { readonly presentation: Presentation; readonly context: EncodingContext },
): Answer {
  const headers = warningHeaders(warnings);
  const { format, shown } = shape(object, presentation, context);
  const bare = format.as === 'object' && isBare(object, presentation, context);
  if (format.encoding === 'yaml')
    return bytesAnswer(code, Buffer.from(formatYaml(bare ? withBareItems(shown as KubeList) : shown)), {
      'content-type': 'application/yaml',
      ...headers,
    });
  const json = { 'content-type': 'application/json', ...headers };
  if (presentation.pretty)
    return bytesAnswer(
      code,
      Buffer.from(`${formatExactJson(bare ? withBareItems(shown as KubeList) : shown, 2)}\n`),
      json,
    );
  if (isList(shown) && format.as !== 'table') {
    const pieces = listPieces(shown, { encodings: context.encodings, bare });
    return listAnswer(code, { list: shown, pieces }, json);
  }
  return bytesAnswer(code, context.encodings.json(shown), json);
}

/** A list that fits one piece is sent as such: its length can be stated and compressing it is not worth the time. */
function listAnswer(
  code: number,
  { list, pieces }: { readonly list: KubeList; readonly pieces: Iterator<Buffer> },
  headers: Answer['headers'],
): Answer {
  const first = pieces.next();
  const second = pieces.next();
  if (first.done !== true && second.done === true) return bytesAnswer(code, first.value, headers);
  const revision = Number(list.metadata.resourceVersion);
  const isOfStore = Number.isSafeInteger(revision) && revision > 0;
  return piecesAnswer(
    code,
    { pieces: continued([first, second], pieces), revision: isOfStore ? revision : undefined },
    headers,
  );
}

function* continued(start: readonly IteratorResult<Buffer>[], rest: Iterator<Buffer>): Iterable<Buffer> {
  for (const { done, value } of start) if (done !== true) yield value as Buffer;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}

function shape(
  object: Outcome['object'],
  presentation: Presentation,
  { api }: EncodingContext,
): { readonly format: Format; readonly shown: object } {
  const format = negotiate(presentation.accept);
  if (isStatus(object) || format.as === 'object') return { format, shown: object };
  if (format.as === 'partial') return { format, shown: partial(object, format.version) };
  const { version } = format;
  const table = api.table(presentation.resource, object, { version, includeObject: presentation.includeObject });
  if (table !== undefined) return { format, shown: table };
  const second = negotiate(presentation.accept, { tables: false });
  return { format: second, shown: second.as === 'partial' ? partial(object, second.version) : object };
}

function isStatus(object: { readonly kind: string; readonly apiVersion: string }): object is Status {
  return object.kind === 'Status' && object.apiVersion === 'v1';
}

function isList(object: object): object is KubeList {
  return 'items' in object && Array.isArray(object.items);
}

function partial(object: KubeObject | KubeList, version: string): object {
  const apiVersion = `meta.k8s.io/${version}`;
  const one = ({ metadata }: KubeObject): object => ({ kind: 'PartialObjectMetadata', apiVersion, metadata });
  if (!isList(object)) return one(object);
  return { kind: 'PartialObjectMetadataList', apiVersion, metadata: object.metadata, items: object.items.map(one) };
}

const pieceBytes = 64 * 1024;
const comma: Buffer = Buffer.from(',');

function isBare(object: Outcome['object'], { resource }: Presentation, { api }: EncodingContext): boolean {
  return isList(object) && api.facts(resource)?.custom === false;
}

function withBareItems(list: KubeList): object {
  return { ...list, items: list.items.map(({ kind: _kind, apiVersion: _version, ...item }) => item) };
}

/** Where items are bare, their shared bytes are used from behind kind and version on. */
function bareBytes(
  item: KubeObject,
  { encodings, head }: { readonly encodings: Encodings; readonly head: Buffer },
): Buffer {
  const bytes = encodings.json(item);
  if (head.compare(bytes, 0, head.length) !== 0) {
    const { kind: _kind, apiVersion: _version, ...rest } = item;
    return Buffer.from(formatExactJson(rest));
  }
  return bytes.subarray(head.length);
}

/** How the JSON of every stored object of this kind begins: see `decodeBody`. */
function headOf({ apiVersion, kind }: KubeObject): Buffer {
  return Buffer.from(`${JSON.stringify({ apiVersion, kind }).slice(0, -1)},`);
}

const open: Buffer = Buffer.from('{');
const brace = 0x7b;

/** A list in pieces of about 64 KiB, made of the items' shared bytes. */
function* listPieces(
  { items, ...rest }: KubeList,
  { encodings, bare }: { readonly encodings: Encodings; readonly bare: boolean },
): Iterator<Buffer> {
  const [first] = items;
  const bareHead = bare && first !== undefined ? headOf(first) : undefined;
  const head = JSON.stringify({ kind: rest.kind, apiVersion: rest.apiVersion, metadata: rest.metadata });
  let parts: Buffer[] = [Buffer.from(`${head.slice(0, -1)},"items":[`)];
  let size = 0;
  for (const [index, item] of items.entries()) {
    const bytes = bareHead === undefined ? encodings.json(item) : bareBytes(item, { encodings, head: bareHead });
    if (index > 0) parts.push(comma);
    if (bareHead !== undefined && bytes[0] !== brace) parts.push(open);
    const isLarge = bytes.length >= pieceBytes;
    if (!isLarge) parts.push(bytes);
    size += bytes.length + 1;
    if (size < pieceBytes) continue;
    yield Buffer.concat(parts);
    // As it is: a copy for each of many clients that take it slowly would fill the memory.
    if (isLarge) yield bytes;
    parts = [];
    size = 0;
  }
  yield Buffer.concat([...parts, Buffer.from(']}')]);
}

const lineEnd: Buffer = Buffer.from('}\n');
const lineStarts: Readonly<Record<WatchEvent['type'], Buffer>> = {
  ADDED: lineStart('ADDED'),
  MODIFIED: lineStart('MODIFIED'),
  DELETED: lineStart('DELETED'),
  BOOKMARK: lineStart('BOOKMARK'),
  ERROR: lineStart('ERROR'),
};

function lineStart(type: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":`);
}

/** A line in pieces: one, or where the object is large its shared bytes and what stands around them. */
type Line = readonly Buffer[];

/** Turns events into lines of JSON. Negotiates at once, so that a 406 comes before the stream starts. */
export function watchEncoder(presentation: Presentation, context: EncodingContext): (event: WatchEvent) => Line {
  const ranges = presentation.accept.filter(({ type }) => type !== 'application/yaml');
  const format = negotiate(ranges);
  const line = (type: WatchEvent['type'], object: object): Line => {
    const parts = [lineStarts[type], context.encodings.json(object), lineEnd];
    return (parts[1]?.length ?? 0) < pieceBytes ? [Buffer.concat(parts)] : parts;
  };
  if (format.as === 'object') return ({ type, object }) => line(type, object);
  if (format.as === 'partial')
    return (event) =>
      event.type === 'ERROR' ? line('ERROR', event.object) : line(event.type, partial(event.object, format.version));
  let first = true;
  return (event) => {
    if (event.type === 'ERROR') return line('ERROR', event.object);
    const { resource, includeObject } = presentation;
    const isBookmark = event.type === 'BOOKMARK';
    const options = { version: format.version, includeObject, isBookmark };
    const table = context.api.table(resource, event.object, options);
    if (table === undefined) return line(event.type, event.object);
    // Only the first event carries the columns, as upstream.
    const shown = first ? table : { ...table, columnDefinitions: null };
    first = false;
    return line(event.type, shown);
  };
}
