import { posix } from 'node:path';
import type { Files } from '../reloader/files.ts';

type Entry = { readonly bytes: Buffer } | { readonly link: string } | 'folder';

/** A disk in memory, with links, that tells of changes as the system does and fails when it is told to. */
export interface MemoryFiles extends Files {
  put(path: string, text: string | Buffer): void;
  link(path: string, target: string): void;
  folder(path: string): void;
  drop(path: string): void;
  text(path: string): string;
  /** Tells those who watch the path, without a change. */
  stir(path: string): void;
  /** What has been written, in order. */
  readonly writes: readonly string[];
  /** What writing fails with from now on, and watching. */
  failing: { write?: string; watch?: string };
}

export function createMemoryFiles(): MemoryFiles {
  const tree = createTree();
  const watchers = new Map<string, Set<(error?: Error) => void>>();
  const writes: string[] = [];
  const failing: MemoryFiles['failing'] = {};

  const stir = (path: string): void => {
    for (const heard of [...(watchers.get(path) ?? [])]) heard();
  };
  const changed = (path: string): void => {
    stir(path);
    stir(posix.dirname(path));
  };
  const set = (path: string, entry: Entry): void => {
    tree.set(path, entry);
    changed(path);
  };
  return {
    failing,
    writes,
    stir,
    put: (path, text) => set(path, { bytes: Buffer.from(text) }),
    link: (path, target) => set(path, { link: target }),
    folder: (path) => set(path, 'folder'),
    drop(path) {
      tree.drop(path);
      changed(path);
    },
    text: (path) => tree.bytesOf(path).toString('utf8'),
    async *read(path) {
      yield tree.bytesOf(path);
    },
    kindOf: async (path) => (tree.entryOf(path) === 'folder' ? 'folder' : 'file'),
    list: async (folder) => tree.list(folder),
    async realPath(path) {
      tree.entryOf(path);
      return tree.resolved(path);
    },
    async write(path, bytes) {
      // As a full disk does: the file is there, and nothing in it.
      set(path, { bytes: failing.write === undefined ? Buffer.from(bytes) : Buffer.alloc(0) });
      if (failing.write !== undefined) throw failure(failing.write, path);
      writes.push(path);
    },
    async rename(from, to) {
      const bytes = tree.bytesOf(from);
      tree.drop(from);
      set(to, { bytes });
    },
    async remove(path) {
      tree.drop(path);
      changed(path);
    },
    watch(path, heard) {
      tree.entryOf(path);
      if (failing.watch !== undefined) throw failure(failing.watch, path);
      const known = watchers.get(path) ?? new Set();
      watchers.set(path, known.add(heard));
      return () => void known.delete(heard);
    },
  };
}

/** Folders, files and links; paths are followed as the system does. */
interface Tree {
  set(path: string, entry: Entry): void;
  /** With what is inside. */
  drop(path: string): void;
  resolved(path: string): string;
  entryOf(path: string): Exclude<Entry, { readonly link: string }>;
  bytesOf(path: string): Buffer;
  list(folder: string): readonly string[];
}

function createTree(): Tree {
  const entries = new Map<string, Entry>([['/', 'folder']]);
  const resolved = (path: string, depth = 0): string => {
    if (depth > 40) throw failure('ELOOP', path);
    let at = '/';
    for (const part of posix.normalize(path).split('/').filter(Boolean)) {
      const inner = posix.join(at, part);
      const entry = entries.get(inner);
      at = typeof entry === 'object' && 'link' in entry ? resolved(posix.resolve(at, entry.link), depth + 1) : inner;
    }
    return at;
  };
  const entryOf: Tree['entryOf'] = (path) => {
    const entry = entries.get(resolved(path));
    if (entry === undefined || (typeof entry === 'object' && 'link' in entry)) throw failure('ENOENT', path);
    return entry;
  };
  return {
    resolved,
    entryOf,
    set(path, entry) {
      for (let folder = posix.dirname(path); !entries.has(folder); folder = posix.dirname(folder))
        entries.set(folder, 'folder');
      entries.set(path, entry);
    },
    drop(path) {
      for (const each of [...entries.keys()]) if (each === path || each.startsWith(`${path}/`)) entries.delete(each);
    },
    bytesOf(path) {
      const entry = entryOf(path);
      if (entry === 'folder') throw failure('EISDIR', path);
      return entry.bytes;
    },
    list(folder) {
      const real = resolved(folder);
      if (entries.get(real) !== 'folder') throw failure('ENOENT', folder);
      const inside = [...entries.keys()].filter((path) => path !== '/' && posix.dirname(path) === real);
      return inside.map((path) => posix.basename(path));
    },
  };
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
