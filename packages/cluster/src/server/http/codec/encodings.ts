import { formatExactJson } from '../../../base/exact-json.ts';

/**
 * The JSON of frozen objects, encoded once and shared by every list and watch that shows them. What is asked for again
 * and again stays; the rest is forgotten when the younger of two generations is full, so memory stays bounded.
 */
export interface Encodings {
  json(object: object): Buffer;
}

export function createEncodings({ generationBytesMax }: { readonly generationBytesMax: number }): Encodings {
  let young = new WeakMap<object, Buffer>();
  let old = new WeakMap<object, Buffer>();
  let youngBytes = 0;
  const keep = (object: object, bytes: Buffer): void => {
    if (youngBytes + bytes.length > generationBytesMax) {
      old = young;
      young = new WeakMap();
      youngBytes = 0;
    }
    young.set(object, bytes);
    youngBytes += bytes.length;
  };
  return {
    json(object) {
      const known = young.get(object);
      if (known !== undefined) return known;
      const bytes = old.get(object) ?? Buffer.from(formatExactJson(object));
      // What may still change must be encoded anew each time.
      if (Object.isFrozen(object)) keep(object, bytes);
      return bytes;
    },
  };
}
