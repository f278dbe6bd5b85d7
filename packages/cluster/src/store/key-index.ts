/**
 * Items in the order of their keys, in chunks of bounded size: an insert moves at most one chunk and, when that splits,
 * the list of chunks, which is a few hundred times shorter than the items. Keys compare by UTF-16 unit, which for ASCII is
 * the order of their bytes.
 */
export interface KeyIndex<T extends Keyed> {
  readonly size: number;
  /** The key must not be there yet. */
  insert(item: T): void;
  /** The key must be there. */
  remove(key: string): void;
  /** How many items have a key below `key`. */
  rank(key: string): number;
  /** Visits the items from `start` on, in order, until `visit` says false. The index must not change meanwhile. */
  scan(start: string, visit: (item: T) => boolean): void;
}

export interface Keyed {
  readonly key: string;
}

export function createKeyIndex<T extends Keyed>({ chunkMax = 512 }: { readonly chunkMax?: number } = {}): KeyIndex<T> {
  // Never holds an empty chunk.
  const chunks: T[][] = [];
  let size = 0;

  const insert = (item: T): void => {
    size += 1;
    // What is loaded comes in order: most of it belongs at the very end, and one look tells.
    const last = chunks[chunks.length - 1];
    if (last === undefined || (last[last.length - 1] as T).key < item.key) {
      // Full chunks are left behind instead of half-full ones.
      if (last !== undefined && last.length < chunkMax) last.push(item);
      else chunks.push([item]);
      return;
    }
    const at = firstChunk(chunks, item.key);
    const chunk = chunks[at] as T[];
    const position = firstItem(chunk, item.key);
    if (chunk.length < chunkMax) chunk.splice(position, 0, item);
    else {
      const upper = chunk.splice(chunkMax >>> 1);
      chunks.splice(at + 1, 0, upper);
      if (position <= chunk.length) chunk.splice(position, 0, item);
      else upper.splice(position - chunk.length, 0, item);
    }
  };

  const remove = (key: string): void => {
    const at = firstChunk(chunks, key);
    const chunk = chunks[at];
    if (chunk === undefined) return;
    const position = firstItem(chunk, key);
    if (chunk[position]?.key !== key) return;
    size -= 1;
    if (chunk.length === 1) chunks.splice(at, 1);
    else chunk.splice(position, 1);
  };

  const rank = (key: string): number => {
    const at = firstChunk(chunks, key);
    let before = firstItem(chunks[at] ?? [], key);
    // A few hundred additions for a hundred thousand items: cheaper than keeping sums up to date.
    for (let index = 0; index < at; index++) before += (chunks[index] as T[]).length;
    return before;
  };

  const scan = (start: string, visit: (item: T) => boolean): void => {
    let at = firstChunk(chunks, start);
    let position = firstItem(chunks[at] ?? [], start);
    for (let chunk = chunks[at]; chunk !== undefined; chunk = chunks[++at]) {
      for (; position < chunk.length; position++) {
        if (!visit(chunk[position] as T)) return;
      }
      position = 0;
    }
  };

  return {
    get size() {
      return size;
    },
    insert,
    remove,
    rank,
    scan,
  };
}

/** The first chunk whose last key is not below `key`. */
function firstChunk<T extends Keyed>(chunks: readonly (readonly T[])[], key: string): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const chunk = chunks[middle] as readonly T[];
    if ((chunk[chunk.length - 1] as T).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The position of the first item whose key is not below `key`. */
function firstItem<T extends Keyed>(chunk: readonly T[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chunk[middle] as T).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
