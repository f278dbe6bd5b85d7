/** Reads the wire form of protocol buffers: fields with their numbers, and the few kinds of values they can have. */
import { badRequest, StatusError } from '../../../api/status.ts';
import { exactBigint } from '../../../base/exact-json.ts';

export function lengthDelimited(value: WireValue): Buffer {
  if (!Buffer.isBuffer(value)) throw malformed('a field has an unexpected wire type');
  return value;
}

/** A varint as bigint; everything else as its bytes. */
export type WireValue = bigint | Buffer;

export interface WireField {
  readonly number: number;
  readonly value: WireValue;
}

export interface Reader {
  readonly bytes: Buffer;
  at: number;
}

export function* fieldsOf(bytes: Buffer): Iterable<WireField> {
  const reader: Reader = { bytes, at: 0 };
  while (reader.at < bytes.length) {
    const tag = Number(readVarint(reader));
    yield { number: Math.floor(tag / 8), value: readValue(reader, tag % 8) };
  }
}

function readValue(reader: Reader, wireType: number): WireValue {
  switch (wireType) {
    case 0:
      return readVarint(reader);
    case 1:
      return readBytes(reader, 8);
    case 2:
      return readBytes(reader, Number(readVarint(reader)));
    case 5:
      return readBytes(reader, 4);
    default:
      throw malformed(`there is no wire type ${wireType}`);
  }
}

function readBytes(reader: Reader, length: number): Buffer {
  const end = reader.at + length;
  if (end > reader.bytes.length) throw malformed('it ends too early');
  const bytes = reader.bytes.subarray(reader.at, end);
  reader.at = end;
  return bytes;
}

export function readVarint(reader: Reader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) throw malformed('it ends too early');
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw malformed('a number is too long');
}

export function malformed(why: string): StatusError {
  return new StatusError(badRequest(`protobuf parse error: ${why}`));
}

export function utf8(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd') && !Buffer.from(text).equals(bytes)) throw malformed('a string is not valid UTF-8');
  return text;
}

export function integer(value: WireValue): number | bigint {
  if (typeof value !== 'bigint') throw malformed('a number has the form of something else');
  return exactBigint(BigInt.asIntN(64, value));
}

export function safeInteger(value: WireValue): number {
  const number = integer(value);
  if (typeof number === 'bigint') throw malformed(`the number ${number} cannot be what it stands for`);
  return number;
}
