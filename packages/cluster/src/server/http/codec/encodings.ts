import type { Encoded } from '../../../api/operation.ts';
import { formatExactJson } from '../../../base/exact-json.ts';
import { encodeMessage, type Kind } from '../protobuf/encode.ts';

/**
 * The JSON of frozen objects, and their messages in protobuf, encoded once and shared by every list and watch that shows them. What is asked for again
 * and again stays; the rest is forgotten when the younger of two generations is full, so memory stays bounded.
 */
export interface Encodings {
  /** A list of more would push out its own beginning: nothing of it is there when it is asked for again. */
  readonly keptBytesMax: number;
  /** `made` is taken if it is of this object. */
  json(object: object, made?: Encoded): Buffer;
  /** Without what says the kind. Throws for a kind that has no such form. */
  protobuf(object: Kind): Buffer;
}

interface Generation {
  readonly json: WeakMap<object, Buffer>;
  readonly protobuf: WeakMap<object, Buffer>;
}

function emptyGeneration(): Generation {
  return { json: new WeakMap(), protobuf: new WeakMap() };
}

export function createEncodings({ generationBytesMax }: { readonly generationBytesMax: number }): Encodings {
  let young = emptyGeneration();
  let old = emptyGeneration();
  let youngBytes = 0;
  const keep = (form: keyof Generation, object: object, bytes: Buffer): void => {
    if (youngBytes + bytes.length > generationBytesMax) {
      old = young;
      young = emptyGeneration();
      youngBytes = 0;
    }
    young[form].set(object, bytes);
    youngBytes += bytes.length;
  };
  return {
    keptBytesMax: 2 * generationBytesMax,
    json(object, made) {
      const known = young.json.get(object);
      if (known !== undefined) return known;
      const bytes =
        old.json.get(object) ?? (made?.object === object ? made.json : Buffer.from(formatExactJson(object)));
      // What may still change must be encoded anew each time.
      if (Object.isFrozen(object)) keep('json', object, bytes);
      return bytes;
    },
    protobuf(object) {
      const known = young.protobuf.get(object);
      if (known !== undefined) return known;
      const bytes = old.protobuf.get(object) ?? encodeMessage(object, object);
      if (Object.isFrozen(object)) keep('protobuf', object, bytes);
      return bytes;
    },
  };
}
