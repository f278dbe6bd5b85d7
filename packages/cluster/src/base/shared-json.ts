import { formatExactJson } from './exact-json.ts';
import { jsonSize } from './json-size.ts';
import { encodeParts, lendParts } from './slab.ts';

/*
 * JSON of objects that have parts in common with many others. A part that is said to be shared is encoded once. Such parts are
 * looked for in a `SharedList` and nowhere else: looking costs as well.
 */

type Members = Readonly<Record<string, unknown>>;

/** By its part. */
const texts = new WeakMap<object, { json: string | undefined }>();
/** Of lists that several objects have: as bytes, since nothing else of such an object is the same. */
const lists = new WeakMap<object, { bytes: Buffer | undefined }>();

/** From now on the JSON of this frozen value is made once, and kept as long as the value is. */
export function shareJson(value: object): void {
  if (value instanceof SharedList) {
    if (!lists.has(value)) lists.set(value, { bytes: undefined });
  } else if (!texts.has(value)) texts.set(value, { json: undefined });
}

export function isJsonShared(value: object): boolean {
  return value instanceof SharedList ? lists.has(value) : texts.has(value);
}

/**
 * No JSON has this outside of strings, and hardly anybody in strings. Of one byte: a character beyond Latin-1, also where it is written as an
 * escape, makes V8 write all that follows in two.
 */
const mark = '\u007f';
const markText = JSON.stringify(mark);

/** What `encodeSharedJson` has met. Nothing else runs in the meantime. */
const met: { isLooking: boolean; list: SharedList | undefined; count: number } = {
  isLooking: false,
  list: undefined,
  count: 0,
};

/** A frozen list which has, or is, such a part: of its JSON only what is not shared is made anew. */
export class SharedList<T extends object = object> extends Array<T> {
  /** What is made of it is a plain list. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** Asked by `JSON.stringify`. */
  toJSON(): unknown {
    if (!met.isLooking) return this;
    met.list = this;
    met.count += 1;
    return mark;
  }
}

export function sharedList<T extends object>(elements: readonly T[]): readonly T[] {
  // All at once: an element more at a time makes such a list slow.
  return Object.freeze(Reflect.construct(Array, elements, SharedList) as SharedList<T>);
}

/** The bytes of what `formatExactJson` makes of it, for who lets go of them soon. */
export function encodeSharedJson(value: object): Buffer {
  return encodeParts(partsOf(value));
}

/** The same for who gives them back: see slab.ts. */
export function lendSharedJson(value: object): Buffer {
  return lendParts(partsOf(value));
}

function partsOf(value: object): readonly (string | Buffer)[] {
  const { text, list } = look(value);
  if (list === undefined) return [text];
  const at = text.indexOf(mark);
  // Several lists, or somebody's string that has the mark.
  if (met.count !== 1 || text.includes(mark, at + 1)) return [formatExactJson(value)];
  return [text.slice(0, at - 1), bytesOf(list), text.slice(at - 1 + markText.length)];
}

function look(value: object): { readonly text: string; readonly list: SharedList | undefined } {
  met.isLooking = true;
  met.count = 0;
  met.list = undefined;
  try {
    return { text: formatExactJson(value), list: met.list };
  } finally {
    met.isLooking = false;
    met.list = undefined;
  }
}

/** As `jsonSize`; what is shared is not walked through again. It is looked for in the members of members. */
export function sharedJsonSize(value: object, enough: number = Infinity): number {
  let size = 2;
  for (const name in value) {
    if (size > enough) return size;
    size += name.length + 4 + sizeOf((value as Members)[name], 1);
  }
  return size;
}

export function sharedListSize(list: SharedList): number {
  const bytes = lists.get(list)?.bytes;
  if (bytes !== undefined) return bytes.length;
  let size = 2;
  for (const element of list) size += 1 + sizeOf(element, partsDepth);
  return size;
}

function bytesOf(list: SharedList): string | Buffer {
  const shared = lists.get(list);
  if (shared?.bytes !== undefined) return shared.bytes;
  const text = `[${Array.from(list, (element) => formatPart(element, partsDepth)).join(',')}]`;
  if (shared === undefined) return text;
  shared.bytes = Buffer.from(text);
  return shared.bytes;
}

/** How far below an element of a list shared parts are looked for. */
const partsDepth = 3;

function formatPart(part: unknown, depth: number): string {
  if (typeof part !== 'object' || part === null) return formatExactJson(part);
  const shared = texts.get(part);
  if (shared?.json !== undefined) return shared.json;
  const text = depth === 0 || Array.isArray(part) ? formatExactJson(part) : formatMembers(part as Members, depth);
  if (shared !== undefined) shared.json = text;
  return text;
}

function formatMembers(value: Members, depth: number): string {
  const members: string[] = [];
  for (const name in value) {
    const member = value[name];
    if (member !== undefined) members.push(`${quoted(name)}:${formatPart(member, depth - 1)}`);
  }
  return `{${members.join(',')}}`;
}

function sizeOf(part: unknown, depth: number): number {
  if (part instanceof SharedList) return sharedListSize(part);
  if (depth === 0 || typeof part !== 'object' || part === null || Array.isArray(part)) return jsonSize(part);
  const { json } = texts.get(part) ?? {};
  if (json !== undefined) return json.length;
  let size = 2;
  for (const name in part) size += name.length + 4 + sizeOf((part as Members)[name], depth - 1);
  return size;
}

const quotedNames = new Map<string, string>();
const quotedMax = 4_096;

function quoted(name: string): string {
  let text = quotedNames.get(name);
  if (text === undefined) {
    text = JSON.stringify(name);
    if (quotedNames.size < quotedMax) quotedNames.set(name, text);
  }
  return text;
}
