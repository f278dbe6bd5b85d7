/**
 * Writes protocol buffers, as much as one document needs. A field is its number and wire type, then the value: a varint
 * (type 0), eight bytes (type 1), or a length and that many bytes (type 2). Fields that hold their default are left out.
 */
export type Field = Uint8Array;

export function message(...fields: readonly (Field | readonly Field[])[]): Buffer {
  return Buffer.concat(fields.flat() as Uint8Array[]);
}

export function text(number: number, value: unknown): Field {
  return typeof value === 'string' && value !== '' ? bytes(number, Buffer.from(value)) : absent;
}

export function texts(number: number, values: unknown): readonly Field[] {
  return Array.isArray(values)
    ? values.filter((value) => typeof value === 'string').map((value) => bytes(number, Buffer.from(value)))
    : [];
}

export function bool(number: number, value: unknown): Field {
  return value === true ? Buffer.concat([varint(number * 8), varint(1)]) : absent;
}

export function integer(number: number, value: unknown): Field {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
    ? Buffer.concat([varint(number * 8), varint(value)])
    : absent;
}

export function double(number: number, value: unknown): Field {
  if (typeof value !== 'number' || value === 0) return absent;
  const encoded = Buffer.alloc(8);
  encoded.writeDoubleLE(value);
  return Buffer.concat([varint(number * 8 + 1), encoded]);
}

/** A message inside a message; an empty one is there all the same. */
export function bytes(number: number, value: Uint8Array): Field {
  return Buffer.concat([varint(number * 8 + 2), varint(value.length), value]);
}

const absent: Field = Buffer.alloc(0);

function varint(value: number): Buffer {
  const out: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  out.push(rest);
  return Buffer.from(out);
}
