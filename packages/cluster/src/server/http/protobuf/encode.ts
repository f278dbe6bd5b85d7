/**
 * Objects in Kubernetes' protobuf form, as typed clients ask for them: the message of an object by the generated table, and
 * around it a runtime.Unknown with kind and apiVersion behind the four bytes `k8s\0`. Fields that the table does not know have
 * no place in it.
 */
import { fromTimestamp } from '../../../base/clock.ts';
import { durationMs } from '../../../base/duration.ts';
import { formatExactJson } from '../../../base/exact-json.ts';
import { type FieldFact, fieldsOfMessage, magic, messageOf, schemaMessage } from './facts.ts';
import {
  createWriter,
  take,
  type Writer,
  writeBytes,
  writeDouble,
  writeInteger,
  writeLength,
  writeText,
  writeVarint,
  writtenBytes,
} from './writer.ts';

type Json = Readonly<Record<string, unknown>>;
/** Writes a value without its tag; with its length where its wire type has one. */
type WriteValue = (writer: Writer, value: unknown) => void;

interface CompiledField {
  /** Writes all of a field, tags included, or nothing where it holds what its absence says. */
  write(writer: Writer, value: unknown): void;
}

interface CompiledMessage {
  readonly fields: ReadonlyMap<string, CompiledField>;
  /** Parts whose fields stand among those of the message in JSON. */
  readonly parts: readonly { readonly tag: number; readonly message: CompiledMessage }[];
}

const varintType = 0;
const doubleType = 1;
const bytesType = 2;

/** One for all: encoding never waits. */
const shared: Writer = createWriter();

/** Empty also where writing was broken off before. */
function fresh(): Writer {
  shared.at = shared.bytes.length;
  return shared;
}

/** Whether objects of this kind have such a form. */
export function hasProtobufForm({ apiVersion, kind }: Kind): boolean {
  return messageOf(apiVersion, kind) !== undefined;
}

export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The message of an object, without what says its kind. Throws for a kind without one. */
export function encodeMessage(object: object, { apiVersion, kind }: Kind): Buffer {
  const name = messageOf(apiVersion, kind);
  if (name === undefined) throw new Error(`${apiVersion} ${kind} has no protobuf form`);
  const writer = fresh();
  writeMessage(writer, object as Json, compiled(name));
  return take(writer);
}

/** What stands before a message of that many bytes: the mark, the kind, and how long the message is. */
export function envelopeHead({ apiVersion, kind }: Kind, messageBytes: number): Buffer {
  const writer = fresh();
  writeVarint(writer, messageBytes);
  writeVarint(writer, tagOf(2, bytesType));
  const end = writtenBytes(writer);
  writeTagged(writer, 2, kind);
  writeTagged(writer, 1, apiVersion);
  writeLength(writer, end);
  writeVarint(writer, tagOf(1, bytesType));
  writeBytes(writer, magic);
  return take(writer);
}

/** What stands before an element of a list, which is a message of that many bytes. */
export function itemHead(messageBytes: number): Buffer {
  const writer = fresh();
  writeVarint(writer, messageBytes);
  writeVarint(writer, tagOf(2, bytesType));
  return take(writer);
}

/** The part of a list that is about all of it. */
export function listHead(metadata: object): Buffer {
  const writer = fresh();
  const end = writtenBytes(writer);
  writeMessage(writer, metadata as Json, compiled('meta/v1.ListMeta'));
  writeLength(writer, end);
  writeVarint(writer, tagOf(1, bytesType));
  return take(writer);
}

/** What stands before an object in a frame of a watch, and the length of the frame. `objectBytes` is the enveloped object. */
export function frameHead(type: string, objectBytes: number): Buffer {
  const writer = fresh();
  writeVarint(writer, objectBytes);
  writeVarint(writer, tagOf(1, bytesType));
  const raw = writtenBytes(writer) + objectBytes;
  writeVarint(writer, raw);
  writeVarint(writer, tagOf(2, bytesType));
  writeTagged(writer, 1, type);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(writtenBytes(writer) + objectBytes);
  writeBytes(writer, length);
  return take(writer);
}

function tagOf(number: number, wireType: number): number {
  return number * 8 + wireType;
}

function writeTagged(writer: Writer, number: number, text: string): void {
  writeString(writer, text);
  writeVarint(writer, tagOf(number, bytesType));
}

const compiledMessages = new Map<string, CompiledMessage>();

function compiled(name: string): CompiledMessage {
  const known = compiledMessages.get(name);
  if (known !== undefined) return known;
  const fields = new Map<string, CompiledField>();
  const parts: { readonly tag: number; readonly message: CompiledMessage }[] = [];
  const message = { fields, parts };
  // Known before its fields are looked at: schemas hold schemas.
  compiledMessages.set(name, message);
  for (const field of fieldsOfMessage(name)?.values() ?? []) {
    const [number, json, type, flags] = field;
    if (flags.includes('n')) parts.push({ tag: tagOf(number, bytesType), message: compiled(type) });
    else fields.set(json, { write: compileField(field) });
  }
  return message;
}

function writeMessage(writer: Writer, object: Json, { fields, parts }: CompiledMessage): void {
  for (const key in object) {
    const value = object[key];
    if (value !== undefined && value !== null) fields.get(key)?.write(writer, value);
  }
  for (const { tag, message } of parts) {
    const end = writtenBytes(writer);
    writeMessage(writer, object, message);
    if (writtenBytes(writer) === end) continue;
    writeLength(writer, end);
    writeVarint(writer, tag);
  }
}

function compileField([number, , type, flags]: FieldFact): CompiledField['write'] {
  const { write, wireType } = valueFor(type);
  const tag = tagOf(number, wireType);
  if (flags.includes('m'))
    return (writer, value) => writeEntries(writer, value as Json, { tag: tagOf(number, bytesType), write, wireType });
  if (flags.includes('r'))
    return (writer, value) => {
      const items = value as readonly unknown[];
      for (let index = items.length - 1; index >= 0; index--) {
        write(writer, items[index]);
        writeVarint(writer, tag);
      }
    };
  const keepsZero = flags.includes('z');
  return (writer, value) => {
    if (!keepsZero && (value === '' || value === 0 || value === false)) return;
    write(writer, value);
    writeVarint(writer, tag);
  };
}

interface Entries {
  readonly tag: number;
  readonly write: WriteValue;
  readonly wireType: number;
}

function writeEntries(writer: Writer, entries: Json, { tag, write, wireType }: Entries): void {
  for (const key in entries) {
    const end = writtenBytes(writer);
    write(writer, entries[key]);
    writeVarint(writer, tagOf(2, wireType));
    writeTagged(writer, 1, key);
    writeLength(writer, end);
    writeVarint(writer, tag);
  }
}

interface Value {
  readonly write: WriteValue;
  readonly wireType: number;
}

const values: Readonly<Record<string, Value>> = {
  string: { write: (writer, value) => writeString(writer, String(value)), wireType: bytesType },
  int: { write: (writer, value) => writeInteger(writer, value as number | bigint), wireType: varintType },
  bool: { write: (writer, value) => writeVarint(writer, value === true ? 1 : 0), wireType: varintType },
  double: { write: (writer, value) => writeDouble(writer, Number(value)), wireType: doubleType },
  bytes: inside((writer, value) => writeBytes(writer, Buffer.from(String(value), 'base64'))),
  time: inside((writer, value) => writeTime(writer, String(value))),
  microtime: inside((writer, value) => writeTime(writer, String(value))),
  duration: inside((writer, value) => {
    writeInteger(writer, BigInt(Math.round(durationMs(String(value)) ?? 0)) * 1_000_000n);
    writeVarint(writer, tagOf(1, varintType));
  }),
  quantity: inside((writer, value) => writeTagged(writer, 1, String(value))),
  intorstring: inside(writeIntOrString),
  raw: inside(writeRaw),
  fields: inside(writeRaw),
  schemaOrArray: inside((writer, value) => writeSchemaOr(writer, value, { schema: 1 })),
  schemaOrBool: inside((writer, value) => {
    if (typeof value === 'object') writeSchemaOr(writer, value, { schema: 2 });
    writeVarint(writer, value === false ? 0 : 1);
    writeVarint(writer, tagOf(1, varintType));
  }),
  schemaOrStrings: inside((writer, value) => writeSchemaOr(writer, value, { schema: 1 })),
};

function valueFor(type: string): Value {
  const known = values[type];
  if (known !== undefined) return known;
  if (type.startsWith('items:')) {
    const write = compileField([1, '', type.slice('items:'.length), 'r']);
    return inside(write);
  }
  const message = compiled(type);
  return inside((writer, value) => writeMessage(writer, value as Json, message));
}

/** What is written is inside something that says its length. */
function inside(write: WriteValue): Value {
  return {
    wireType: bytesType,
    write(writer, value) {
      const end = writtenBytes(writer);
      write(writer, value);
      writeLength(writer, end);
    },
  };
}

function writeString(writer: Writer, text: string): void {
  const end = writtenBytes(writer);
  writeText(writer, text);
  writeLength(writer, end);
}

/** Seconds since 1970, and the part of a second in nanoseconds. */
function writeTime(writer: Writer, text: string): void {
  const timeMs = fromTimestamp(text);
  if (Number.isNaN(timeMs)) return;
  const fraction = /\.(\d{1,9})/.exec(text)?.[1];
  if (fraction !== undefined) {
    writeVarint(writer, Number(fraction.padEnd(9, '0')));
    writeVarint(writer, tagOf(2, varintType));
  }
  writeInteger(writer, Math.floor(timeMs / 1000));
  writeVarint(writer, tagOf(1, varintType));
}

function writeIntOrString(writer: Writer, value: unknown): void {
  if (typeof value === 'string') {
    writeTagged(writer, 3, value);
    writeVarint(writer, 1);
    writeVarint(writer, tagOf(1, varintType));
    return;
  }
  writeInteger(writer, value as number);
  writeVarint(writer, tagOf(2, varintType));
}

/** JSON as it is. Nothing is what Go writes for its null. */
function writeRaw(writer: Writer, value: unknown): void {
  if (value !== null) writeTagged(writer, 1, formatExactJson(value));
}

/** A place that takes a schema or something else; a list is of schemas or of names, which have the same number. */
function writeSchemaOr(writer: Writer, value: unknown, { schema }: { readonly schema: number }): void {
  if (!Array.isArray(value)) {
    writeSchema(writer, value as Json, schema);
    return;
  }
  for (const item of (value as readonly unknown[]).toReversed())
    if (typeof item === 'string') writeTagged(writer, 2, item);
    else writeSchema(writer, item as Json, 2);
}

function writeSchema(writer: Writer, schema: Json, number: number): void {
  const end = writtenBytes(writer);
  writeMessage(writer, schema, compiled(schemaMessage));
  writeLength(writer, end);
  writeVarint(writer, tagOf(number, bytesType));
}
