/**
 * Writes the wire form of protocol buffers from its end to its beginning: what is inside a message is there before its length
 * has to be said, so nothing is measured first and nothing is moved.
 */
export interface Writer {
  bytes: Buffer;
  /** Where the written part begins. */
  at: number;
}

export function createWriter(): Writer {
  const bytes = Buffer.allocUnsafeSlow(64 * 1024);
  return { bytes, at: bytes.length };
}

/** A writer that has grown beyond this is let go. */
const keptBytesMax = 1024 * 1024;

/** What has been written, as bytes of its own; the writer is empty again. */
export function take(writer: Writer): Buffer {
  const taken = Buffer.allocUnsafe(writer.bytes.length - writer.at);
  writer.bytes.copy(taken, 0, writer.at);
  if (writer.bytes.length > keptBytesMax) writer.bytes = Buffer.allocUnsafeSlow(64 * 1024);
  writer.at = writer.bytes.length;
  return taken;
}

function need(writer: Writer, length: number): void {
  if (writer.at >= length) return;
  const { bytes, at } = writer;
  const written = bytes.length - at;
  const grown = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, written + length));
  bytes.copy(grown, grown.length - written, at);
  writer.bytes = grown;
  writer.at = grown.length - written;
}

/** A whole number that is not negative. */
export function writeVarint(writer: Writer, value: number): void {
  need(writer, 10);
  if (value < 0x80) {
    writer.bytes[--writer.at] = value;
    return;
  }
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
  writer.at -= length;
  let rest = value;
  for (let index = 0; index < length - 1; index++) {
    writer.bytes[writer.at + index] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  writer.bytes[writer.at + length - 1] = rest;
}

/** Any whole number of 64 bits, negative ones as ten bytes. */
export function writeInteger(writer: Writer, value: number | bigint): void {
  if (typeof value === 'number' && value >= 0) {
    writeVarint(writer, value);
    return;
  }
  need(writer, 10);
  const digits: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) digits.push(Number(rest & 0x7fn) | 0x80);
  digits.push(Number(rest));
  writer.at -= digits.length;
  for (const [index, digit] of digits.entries()) writer.bytes[writer.at + index] = digit;
}

export function writeDouble(writer: Writer, value: number): void {
  need(writer, 8);
  writer.at -= 8;
  writer.bytes.writeDoubleLE(value, writer.at);
}

export function writeBytes(writer: Writer, value: Uint8Array): void {
  need(writer, value.length);
  writer.at -= value.length;
  writer.bytes.set(value, writer.at);
}

/** Up to this length a text is written letter by letter, which is faster than to ask for it. */
const shortTextMax = 64;

/** Without its length. */
export function writeText(writer: Writer, text: string): void {
  if (text.length <= shortTextMax && writeAscii(writer, text)) return;
  const length = Buffer.byteLength(text);
  need(writer, length);
  writer.at -= length;
  writer.bytes.write(text, writer.at, 'utf8');
}

/** False, and nothing is written, for a text with other letters. */
function writeAscii(writer: Writer, text: string): boolean {
  need(writer, text.length);
  const { bytes } = writer;
  const start = writer.at - text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) return false;
    bytes[start + index] = code;
  }
  writer.at = start;
  return true;
}

/** What stands before the bytes from here up to `end`: their length. `end` counts from the end of what is written. */
export function writeLength(writer: Writer, end: number): void {
  writeVarint(writer, writtenBytes(writer) - end);
}

/** How much is written: where something begins that is written from now on, seen from the end. */
export function writtenBytes(writer: Writer): number {
  return writer.bytes.length - writer.at;
}
