import { formatYaml } from '../../../api/codec/yaml.ts';
import type { GroupVersionResource } from '../../../api/gvk.ts';
import type { KubeList, KubeObject } from '../../../api/meta.ts';
import type { Outcome } from '../../../api/operation.ts';
import { failure, type Status, StatusError } from '../../../api/status.ts';
import { formatExactJson } from '../../../base/exact-json.ts';
import { fresh } from '../../../base/fresh.ts';
import type { ServedApi, Table } from '../../context/served-api.ts';
import { hasProtobufForm } from '../protobuf/encode.ts';
import { type Format, type MediaRange, negotiate, protobufType } from './accept.ts';
import { type Answer, bytesAnswer, piecesAnswer, warningHeaders } from './answer.ts';
import { protobufItemBytes, protobufObject, protobufPieces } from './encode-protobuf.ts';
import type { Encodings } from './encodings.ts';
import { pieceBytes, type Sequence, type TextStyle, textPieces } from './list-text.ts';
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
  { code, object, warnings, encoded }: Outcome,
  { presentation, context }: { readonly presentation: Presentation; readonly context: EncodingContext },
): Answer {
  const { format, shown, sequence } = shape(object, presentation, context);
  if (format.encoding === 'protobuf') {
    const headers = { 'content-type': protobufType, ...warningHeaders(warnings) };
    if (!isList(object)) return bytesAnswer(code, protobufObject(shown as KubeObject, context.encodings), headers);
    const revision = revisionOf(object);
    const pieces = protobufPieces(object, { as: format, encodings: context.encodings });
    const heldBytes = object.items.length * protobufItemBytes;
    return listAnswer(code, { pieces, revision, heldBytes }, headers);
  }
  const headers = { ...fresh, ...contentTypeOf(format), ...warningHeaders(warnings) };
  if (sequence === undefined)
    return bytesAnswer(code, bytesOf(shown, { format, presentation, context, encoded }), headers);
  const revision = revisionOf(object as KubeList);
  const style = styleOf(format, presentation);
  if (style === 'json' && shown === object && isWorthKeeping(object as KubeList, context)) {
    const bare = isBare(object, presentation, context);
    const pieces = listPieces(object as KubeList, { encodings: context.encodings, bare });
    // The text is shared with other answers; what goes out first waits in the connection, and what is listed is held.
    const heldBytes = 2 * pieceBytes + (object as KubeList).items.length * referenceBytes;
    return listAnswer(code, { pieces, revision, heldBytes }, headers);
  }
  return listAnswer(code, { pieces: textPieces(sequence, style), revision }, headers);
}

/** Of what does not fit, each object would take memory of its own outside of the heap, for nothing. */
function isWorthKeeping({ items, metadata }: KubeList, { encodings }: EncodingContext): boolean {
  const [first] = items;
  if (first === undefined) return true;
  const count = items.length + (metadata.remainingItemCount ?? 0);
  return count < surelyKept || count * encodings.json(first).length <= encodings.keptBytesMax;
}

/** So few are not looked at further. */
const surelyKept = 1_000;

function contentTypeOf({ encoding }: Format): Answer['headers'] {
  return { 'content-type': encoding === 'yaml' ? 'application/yaml' : 'application/json' };
}

/** Which form it has in protobuf is for its kind to say: that of its items, if it is a list. */
function formsOf({ apiVersion, kind }: Outcome['object']): 'all' | 'partial' {
  return hasProtobufForm({ apiVersion, kind }) || hasProtobufForm({ apiVersion, kind: kind.replace(/List$/, '') })
    ? 'all'
    : 'partial';
}

function styleOf({ encoding }: Format, { pretty }: Presentation): TextStyle {
  if (encoding === 'yaml') return 'yaml';
  return pretty === true ? 'pretty' : 'json';
}

function bytesOf(
  shown: object,
  { format, presentation, context, encoded }: Shaping & { readonly encoded: Outcome['encoded'] },
): Buffer {
  const style = styleOf(format, presentation);
  if (style === 'json') return context.encodings.json(shown, encoded);
  return Buffer.from(style === 'yaml' ? formatYaml(shown) : `${formatExactJson(shown, 2)}\n`);
}

/** Of the store, when the list is: what it shows can be taken from it. */
function revisionOf({ metadata }: KubeList): number | undefined {
  const revision = Number(metadata.resourceVersion);
  return Number.isSafeInteger(revision) && revision > 0 ? revision : undefined;
}

interface ListText {
  readonly pieces: Iterator<Buffer>;
  readonly revision: number | undefined;
  /** About what they take, where that does not follow from the first ones. */
  readonly heldBytes?: number;
}

/** Each is there as values, as text, as bytes, and as what garbage has not been collected of those before it. */
const copiesPerPiece = 4;
const referenceBytes = 8;

/** A list that fits one piece is sent as such: its length can be stated and compressing it is not worth the time. */
function listAnswer(code: number, list: ListText, headers: Answer['headers']): Answer {
  const { pieces, revision } = list;
  const first = pieces.next();
  const second = pieces.next();
  if (first.done !== true && second.done === true) return bytesAnswer(code, first.value, headers);
  const ready = [first, second].flatMap(({ done, value }) => (done === true ? [] : [value as Buffer]));
  const held = copiesPerPiece * ready.reduce((sum, { length }) => sum + length, 0);
  return piecesAnswer(code, { pieces: continued(ready, pieces), revision, heldBytes: list.heldBytes ?? held }, headers);
}

function* continued(ready: readonly Buffer[], rest: Iterator<Buffer>): Iterable<Buffer> {
  yield* ready;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}

interface Shape {
  readonly format: Format;
  readonly shown: object;
  /** Set when a list is shown: the same, made as it is taken. */
  readonly sequence?: Sequence;
}

function shape(object: Outcome['object'], presentation: Presentation, context: EncodingContext): Shape {
  const forms = { protobuf: formsOf(object) };
  const format = negotiate(presentation.accept, forms);
  if (isStatus(object) || format.as === 'object') return whole(object, { format, presentation, context });
  if (format.as === 'partial') return partialShape(object, format);
  const table = tableShape(object, { format, presentation, context });
  if (table !== undefined) return table;
  const second = negotiate(presentation.accept, { ...forms, tables: false });
  return second.as === 'partial'
    ? partialShape(object, second)
    : whole(object, { format: second, presentation, context });
}

interface Shaping {
  readonly format: Format;
  readonly presentation: Presentation;
  readonly context: EncodingContext;
}

function whole(object: Outcome['object'], { format, presentation, context }: Shaping): Shape {
  if (!isList(object)) return { format, shown: object };
  const { items, kind, apiVersion, ...rest } = object;
  const elements = isBare(object, presentation, context) ? mapped(items, withoutKind) : items;
  return { format, shown: object, sequence: { head: { kind, apiVersion, ...rest }, field: 'items', elements } };
}

function partialShape(object: KubeObject | KubeList, format: Format): Shape {
  const { version } = format;
  if (format.ofList !== undefined && format.ofList !== isList(object)) throw notInParts(format.ofList);
  if (!isList(object)) return { format, shown: partial(object, version) };
  const head = { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
  const elements = mapped(object.items, (item) => partial(item, version));
  return { format, shown: head, sequence: { head, field: 'items', elements } };
}

function notInParts(ofList: boolean): StatusError {
  const found = ofList
    ? 'you requested PartialObjectMetadataList, but the requested object is not a list'
    : 'you requested PartialObjectMetadata, but the requested object is a list';
  return new StatusError(failure(406, 'NotAcceptable', found));
}

/** Rows are made so many at once. */
const rowsAtOnce = 100;

function tableShape(object: KubeObject | KubeList, { format, presentation, context }: Shaping): Shape | undefined {
  const { resource, includeObject } = presentation;
  const options = { version: format.version, includeObject };
  const tableOf = (shown: KubeObject | KubeList): Table | undefined => context.api.table(resource, shown, options);
  if (!isList(object)) {
    const shown = tableOf(object);
    return shown && { format, shown };
  }
  const empty = tableOf({ ...object, items: [] });
  if (empty === undefined) return undefined;
  const { rows: _none, ...head } = empty;
  const elements = {
    *[Symbol.iterator]() {
      for (let at = 0; at < object.items.length; at += rowsAtOnce)
        yield* tableOf({ ...object, items: object.items.slice(at, at + rowsAtOnce) })?.rows ?? [];
    },
  };
  return { format, shown: empty, sequence: { head, field: 'rows', elements } };
}

function* mapped<T>(items: readonly T[], change: (item: T) => unknown): Iterable<unknown> {
  for (const item of items) yield change(item);
}

function isStatus(object: { readonly kind: string; readonly apiVersion: string }): object is Status {
  return object.kind === 'Status' && object.apiVersion === 'v1';
}

function isList(object: object): object is KubeList {
  return 'items' in object && Array.isArray(object.items);
}

export function partial(
  { metadata }: KubeObject,
  version: string,
): Pick<KubeObject, 'kind' | 'apiVersion' | 'metadata'> {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}

const comma: Buffer = Buffer.from(',');

function isBare(object: Outcome['object'], { resource }: Presentation, { api }: EncodingContext): boolean {
  return isList(object) && api.facts(resource)?.custom === false;
}

function withoutKind({ kind: _kind, apiVersion: _version, ...item }: KubeObject): object {
  return item;
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
