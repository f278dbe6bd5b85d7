/**
 * Objects in Kubernetes' protobuf form, which typed clients send for built-in kinds (kubectl's create and drain among
 * them, since 1.32): the four bytes `k8s\0`, then a runtime.Unknown with kind and apiVersion, and inside it the object's
 * message. Field numbers come from the generated table. The result is what the same client would have sent as JSON.
 */

import { scanJson, tooManyValues } from '../../../api/codec/json-scan.ts';
import { put } from '../../../api/record.ts';
import { failure, StatusError } from '../../../api/status.ts';
import { toMicroTimestamp, toTimestamp } from '../../../base/clock.ts';
import { formatDuration } from '../../../base/duration.ts';
import { exactBigint, parseExactJson } from '../../../base/exact-json.ts';
import { type FieldFact, fieldsOfMessage, magic, messageOf, schemaMessage } from './facts.ts';
import {
  fieldsOf,
  integer,
  lengthDelimited,
  malformed,
  type Reader,
  readVarint,
  safeInteger,
  utf8,
  type WireValue,
} from './wire.ts';

const depthMax = 512;

export interface DecodeLimits {
  /** How many values there may be; an entry of a map of texts counts as much as four. */
  readonly valuesMax: number;
}

interface Budget extends DecodeLimits {
  left: number;
}

/** Where in the object a message stands, and how many values may still come. */
interface Nest {
  readonly depth: number;
  readonly budget: Budget;
}

function deeper({ depth, budget }: Nest): Nest {
  return { depth: depth + 1, budget };
}

/** Most fields of a message are given though they are empty, and cost little; entries of maps may be very many, in one object. */
function weightOf([, , type, flags]: FieldFact): number {
  if (type.includes('.') || flags.includes('r')) return 1;
  return flags.includes('m') ? 4 : 0.25;
}

function spend({ budget }: Nest, values: number): void {
  budget.left -= values;
  if (budget.left >= 0) return;
  const message = `Request entity too large: limit is ${budget.valuesMax} values`;
  throw new StatusError(failure(413, 'RequestEntityTooLarge', message));
}

/** Throws a 400 for bytes that are no such object, a 413 for too many values and a 415 for a kind whose form is unknown here. */
export function decodeProtobufObject(bytes: Buffer, { valuesMax }: DecodeLimits = { valuesMax: Infinity }): unknown {
  if (!bytes.subarray(0, magic.length).equals(magic)) throw malformed('it does not start with the four bytes k8s\\0');
  const envelope: { apiVersion: string; kind: string; raw: Buffer } = {
    apiVersion: '',
    kind: '',
    raw: Buffer.alloc(0),
  };
  for (const { number, value } of fieldsOf(bytes.subarray(magic.length))) {
    if (number === 1 && Buffer.isBuffer(value)) Object.assign(envelope, typeMeta(value));
    if (number === 2 && Buffer.isBuffer(value)) envelope.raw = value;
  }
  const { apiVersion, kind, raw } = envelope;
  const message = messageOf(apiVersion, kind);
  if (message === undefined) throw unknownKind(apiVersion, kind);
  return { apiVersion, kind, ...decodeMessage(raw, message, { depth: 0, budget: { valuesMax, left: valuesMax } }) };
}

function typeMeta(bytes: Buffer): { readonly apiVersion: string; readonly kind: string } {
  const found = { apiVersion: '', kind: '' };
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1 && Buffer.isBuffer(value)) found.apiVersion = value.toString('utf8');
    if (number === 2 && Buffer.isBuffer(value)) found.kind = value.toString('utf8');
  }
  return found;
}

type Json = Record<string, unknown>;

function decodeMessage(bytes: Buffer, message: string, nest: Nest): Json {
  if (nest.depth > depthMax) throw malformed('it is nested too deep');
  const known = fieldsOfMessage(message);
  if (known === undefined) throw malformed(`there is no message ${message}`);
  const out: Json = {};
  for (const { number, value } of fieldsOf(bytes)) {
    const field = known.get(number);
    // A field of a newer version than ours: JSON would have it dropped with a warning.
    if (field === undefined) continue;
    spend(nest, weightOf(field));
    takeField(out, field, { value, nest });
  }
  return out;
}

interface Taken {
  readonly value: WireValue;
  readonly nest: Nest;
}

function takeField(out: Json, [, name, type, flags]: FieldFact, { value, nest }: Taken): void {
  if (flags.includes('n')) {
    Object.assign(out, decodeMessage(lengthDelimited(value), type, deeper(nest)));
  } else if (flags.includes('m')) {
    const entries = (out[name] ?? {}) as Json;
    const { key, content } = mapEntry(lengthDelimited(value));
    put(entries, key, content === undefined ? zeroOf(type) : decodeValue(type, { value: content, nest }));
    out[name] = entries;
  } else if (flags.includes('r')) {
    const items = (out[name] ?? []) as unknown[];
    items.push(...decodeItems(type, { value, nest }));
    out[name] = items;
  } else {
    const decoded = decodeValue(type, { value, nest });
    if (decoded !== undefined && (flags.includes('z') || !isZero(decoded))) out[name] = decoded;
  }
}

/** What Go leaves out under `omitempty` when the field is no pointer. */
function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function zeroOf(type: string): unknown {
  return type === 'int' || type === 'double'
    ? 0
    : type === 'bool'
      ? false
      : type.startsWith('items:')
        ? []
        : type.includes('.')
          ? {}
          : '';
}

/** Whole numbers may come packed: many in one length-delimited field. */
function decodeItems(type: string, taken: Taken): readonly unknown[] {
  if (type !== 'int' || !Buffer.isBuffer(taken.value)) return [decodeValue(type, taken)];
  const items: (number | bigint)[] = [];
  const reader: Reader = { bytes: taken.value, at: 0 };
  while (reader.at < reader.bytes.length) {
    spend(taken.nest, 1);
    items.push(exactBigint(BigInt.asIntN(64, readVarint(reader))));
  }
  return items;
}

function decodeValue(type: string, { value, nest }: Taken): unknown {
  switch (type) {
    case 'string':
      return utf8(lengthDelimited(value));
    case 'int':
      return integer(value);
    case 'bool':
      return safeInteger(value) !== 0;
    case 'double':
      return lengthDelimited(value).readDoubleLE(0);
    case 'bytes':
      return lengthDelimited(value).toString('base64');
    case 'time':
      return decodeTime(lengthDelimited(value), (timeMs) => toTimestamp(timeMs));
    case 'microtime':
      return decodeTime(lengthDelimited(value), (timeMs, nanos) => microTimestamp(timeMs, nanos));
    case 'duration':
      return formatDuration(decodeDurationMs(lengthDelimited(value)));
    case 'quantity':
      return utf8(innerBytes(lengthDelimited(value), 1));
    case 'intorstring':
      return decodeIntOrString(lengthDelimited(value));
    case 'raw':
    case 'fields':
      return decodeRaw(innerBytes(lengthDelimited(value), 1), nest);
    case 'schemaOrArray':
      return decodeSchemaOr(lengthDelimited(value), { schema: 1, otherwise: schemasOf, nest });
    case 'schemaOrBool':
      return decodeSchemaOr(lengthDelimited(value), { schema: 2, otherwise: isAllowed, nest });
    case 'schemaOrStrings':
      return decodeSchemaOr(lengthDelimited(value), { schema: 1, otherwise: propertiesOf, nest });
    default:
      if (!type.startsWith('items:')) return decodeMessage(lengthDelimited(value), type, deeper(nest));
      return [...fieldsOf(lengthDelimited(value))]
        .filter(({ number }) => number === 1)
        .flatMap((field) => decodeItems(type.slice('items:'.length), { value: field.value, nest: deeper(nest) }));
  }
}

/** Undefined for the zero time, which stands for "not set". */
function decodeTime(bytes: Buffer, format: (timeMs: number, nanos: number) => string): string | undefined {
  let seconds: number | undefined;
  let nanos = 0;
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) seconds = safeInteger(value);
    if (number === 2) nanos = safeInteger(value);
  }
  if (seconds === undefined) return undefined;
  if (Math.abs(seconds) > 8_640_000_000_000) throw malformed('a time is out of range');
  return format(seconds * 1000, nanos);
}

/** Parts of a millisecond are of no use to anybody here. */
function decodeDurationMs(bytes: Buffer): number {
  for (const { number, value } of fieldsOf(bytes))
    if (number === 1) return Math.round(Number(integer(value)) / 1_000_000);
  return 0;
}

function microTimestamp(timeMs: number, nanos: number): string {
  const micros = String(Math.floor(nanos / 1000)).padStart(6, '0');
  return toMicroTimestamp(timeMs).replace(/\.\d{6}Z$/, `.${micros}Z`);
}

function decodeIntOrString(bytes: Buffer): number | string {
  let isText = false;
  let whole = 0;
  let text = '';
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) isText = safeInteger(value) === 1;
    if (number === 2) whole = safeInteger(value);
    if (number === 3) text = utf8(lengthDelimited(value));
  }
  return isText ? text : whole;
}

function decodeRaw(bytes: Buffer, nest: Nest): unknown {
  // What Go writes for JSON's null.
  if (bytes.length === 0) return null;
  const text = utf8(bytes);
  const problem = scanJson(text, { depthMax, valuesMax: nest.budget.left });
  if (problem === tooManyValues) spend(nest, Infinity);
  if (problem !== undefined) throw malformed(`embedded JSON: ${problem}`);
  try {
    return parseExactJson(text);
  } catch (cause) {
    if (cause instanceof StatusError) throw cause;
    throw malformed('embedded JSON is broken');
  }
}

interface SchemaOr {
  /** The number of the field that holds the schema. */
  readonly schema: number;
  readonly nest: Nest;
  /** What stands there when it is no schema. */
  otherwise(bytes: Buffer, nest: Nest): unknown;
}

/** Places in a definition's schema that take a schema or something else. */
function decodeSchemaOr(bytes: Buffer, { schema, nest, otherwise }: SchemaOr): unknown {
  for (const { number, value } of fieldsOf(bytes))
    if (number === schema && Buffer.isBuffer(value)) return decodeMessage(value, schemaMessage, deeper(nest));
  return otherwise(bytes, nest);
}

function schemasOf(bytes: Buffer, nest: Nest): unknown {
  return [...fieldsOf(bytes)]
    .filter(({ number }) => number === 2)
    .map(({ value }) => decodeMessage(lengthDelimited(value), schemaMessage, deeper(nest)));
}

function isAllowed(bytes: Buffer): unknown {
  return [...fieldsOf(bytes)].some(({ number, value }) => number === 1 && safeInteger(value) !== 0);
}

function propertiesOf(bytes: Buffer): unknown {
  return [...fieldsOf(bytes)].filter(({ number }) => number === 2).map(({ value }) => utf8(lengthDelimited(value)));
}

function mapEntry(bytes: Buffer): { readonly key: string; readonly content: WireValue | undefined } {
  let key = '';
  let content: WireValue | undefined;
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) key = utf8(lengthDelimited(value));
    if (number === 2) content = value;
  }
  return { key, content };
}

function innerBytes(bytes: Buffer, wanted: number): Buffer {
  for (const { number, value } of fieldsOf(bytes)) if (number === wanted) return lengthDelimited(value);
  return Buffer.alloc(0);
}

function unknownKind(apiVersion: string, kind: string): StatusError {
  const message = `${kind || 'the object'} of ${apiVersion || 'an unnamed version'} is not known in protobuf form; send it as application/json`;
  return new StatusError(failure(415, 'UnsupportedMediaType', message));
}
