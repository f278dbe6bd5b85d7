import { watch } from 'node:fs';
import { open, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/** The files that the reloader sees, as a parameter. All of it fails with the system's errors. */
export interface Files {
  /** In pieces, each of which is good until the next one is asked for. */
  read(path: string): AsyncIterable<Uint8Array>;
  /** Of what a link leads to. */
  kindOf(path: string): Promise<'file' | 'folder' | 'other'>;
  list(folder: string): Promise<readonly string[]>;
  /** Where the links of a path lead to. */
  realPath(path: string): Promise<string>;
  write(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Also when there is none. */
  remove(path: string): Promise<void>;
  /** Calls when something in the folder, or the file, may have changed; with an error when it can tell no longer. */
  watch(path: string, heard: (error?: Error) => void): () => void;
}

const pieceBytes = 16 * 1_024;

export const systemFiles: Files = {
  async *read(path) {
    const file = await open(path);
    try {
      // One piece of memory for all of the file: what is read every few minutes must not pile up until it is collected.
      const piece = Buffer.allocUnsafeSlow(pieceBytes);
      for (;;) {
        const { bytesRead } = await file.read(piece, 0, pieceBytes);
        if (bytesRead === 0) return;
        yield piece.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  },
  async kindOf(path) {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'other';
  },
  list: (folder) => readdir(folder),
  realPath: (path) => realpath(path),
  // Everybody may read it, as upstream has it: the agent beside it may run as another user.
  write: (path, bytes) => writeFile(path, bytes, { mode: 0o644 }),
  rename,
  remove: (path) => rm(path, { force: true }),
  watch(path, heard) {
    const watcher = watch(path, () => heard());
    watcher.on('error', heard);
    return () => watcher.close();
  },
};

/** Readers see the old bytes or the new ones. When it fails, the old ones stay and nothing is left beside them. */
export async function replaceFile(path: string, bytes: Uint8Array, files: Files): Promise<void> {
  const draft = `${path}.tmp`;
  try {
    await files.write(draft, bytes);
    await files.rename(draft, path);
  } catch (error) {
    // The reason why it was not written counts for more than why the draft could not be removed.
    await files.remove(draft).catch(() => undefined);
    throw error;
  }
}
