/** The files of one attempt of a container: one that grows, and those before it, which were renamed when they were full. */
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Oldest first; the last one grows. The names of the others carry the time. */
export async function logFiles(path: string): Promise<readonly string[]> {
  const [folder, name] = [dirname(path), basename(path)];
  const names = await readdir(folder).catch((error: unknown): string[] => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const earlier = names.filter((each) => each.startsWith(`${name}.`)).sort();
  return [...earlier, ...(names.includes(name) ? [name] : [])].map((each) => join(folder, each));
}

export interface OpenLog {
  readonly file: FileHandle;
  /** Stays with the file when it is renamed. */
  readonly inode: number;
}

/** Undefined: it was renamed or removed meanwhile. */
export async function openLog(path: string): Promise<OpenLog | undefined> {
  try {
    const file = await open(path, 'r');
    const { ino: inode } = await file.stat().catch(async (error: unknown) => {
      await file.close();
      throw error;
    });
    return { file, inode };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What comes after a file: the next in order, or the eldest that is left when it is gone. Undefined: it is the one that grows. */
export async function nextLog(path: string, inode: number): Promise<OpenLog | undefined> {
  // A file that is renamed between being listed and being opened is not found, but is there.
  for (let tries = 0; ; tries++) {
    const opened: OpenLog[] = [];
    for (const each of await logFiles(path)) {
      const log = await openLog(each);
      if (log !== undefined) opened.push(log);
    }
    const index = opened.findIndex((log) => log.inode === inode);
    const next = index < 0 && tries < triesMax ? undefined : opened[index + 1];
    await Promise.all(opened.filter((log) => log !== next).map(({ file }) => file.close()));
    if (index >= 0 || tries >= triesMax) return next;
  }
}

const triesMax = 3;
const chunkBytes = 64 * 1024;
const newline = 10;

/** Where the last so many lines begin, and how many of them are there. */
export async function tailOf(
  file: FileHandle,
  lines: number,
): Promise<{ readonly start: number; readonly lines: number }> {
  const { size } = await file.stat();
  if (lines === 0) return { start: size, lines: 0 };
  const chunk = Buffer.alloc(chunkBytes);
  let found = 0;
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - chunkBytes);
    const { bytesRead } = await file.read(chunk, 0, end - from, from);
    for (let at = bytesRead - 1; at >= 0; at--) {
      // The end of the last line begins none.
      if (chunk[at] !== newline || from + at === size - 1) continue;
      found++;
      if (found === lines) return { start: from + at + 1, lines };
    }
    end = from;
  }
  return { start: 0, lines: size === 0 ? 0 : found + 1 };
}
