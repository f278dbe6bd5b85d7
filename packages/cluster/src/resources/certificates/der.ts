/** Reads DER as far as certificate requests need it: a value is a tag, a length and that many bytes, which may be values again. */
export interface Der {
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length. */
  readonly whole: Buffer;
}

/** Throws for bytes that are no DER. */
export function readDer(bytes: Buffer): Der {
  const [value, more] = derValues(bytes);
  if (value === undefined || more !== undefined) throw malformed();
  return value;
}

/** The values that a constructed one holds, in their order. */
export function derValues(bytes: Buffer): readonly Der[] {
  const values: Der[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0;
    const { length, start } = lengthAt(bytes, at + 1);
    const end = start + length;
    if (end > bytes.length) throw malformed();
    values.push({ tag, content: bytes.subarray(start, end), whole: bytes.subarray(at, end) });
    at = end;
  }
  return values;
}

function lengthAt(bytes: Buffer, at: number): { readonly length: number; readonly start: number } {
  const first = bytes[at];
  if (first === undefined) throw malformed();
  if (first < 0x80) return { length: first, start: at + 1 };
  const count = first - 0x80;
  // Nothing that a request may hold needs more than three bytes to say how long it is.
  if (count === 0 || count > 3 || at + 1 + count > bytes.length) throw malformed();
  return { length: bytes.readUIntBE(at + 1, count), start: at + 1 + count };
}

function malformed(): Error {
  return new Error('asn1: structure error');
}
