/** Mounts of the namespace that inside lives in: nobody else sees them. */
import { readFile, stat } from 'node:fs/promises';
import { runWell } from '../run.ts';

export interface MemoryFolder {
  readonly bytes: number | undefined;
  readonly mode: number;
}

export async function mountMemory(folder: string, { bytes, mode }: MemoryFolder): Promise<void> {
  const size = bytes === undefined ? '' : `size=${bytes},`;
  await runWell(['mount', '-n', '-t', 'tmpfs', '-o', `${size}mode=${mode.toString(8)},nosuid,nodev`, 'memory', folder]);
}

/** `source` is taken as it is: a descriptor's path leads to what was opened, not to what has its name now. */
export async function bind(source: string, target: string): Promise<void> {
  await runWell(['mount', '-n', '-c', '--bind', source, target]);
}

/** At once for new openers; who has something open keeps it. The inner ones first. */
export async function unmountBelow(folder: string): Promise<void> {
  const mounted = await mountedBelow(folder);
  if (mounted.length > 0) await runWell(['umount', '-n', '-l', ...mounted]);
  const left = await mountedBelow(folder);
  // Whoever removes the folder would remove what is mounted there, too.
  if (left.length > 0) throw new Error(`${left.join(', ')} cannot be unmounted`);
}

export async function mountedBelow(folder: string): Promise<readonly string[]> {
  const text = await readFile('/proc/self/mountinfo', 'utf8');
  return text
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .map((path) => path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8))))
    .filter((path) => path === folder || path.startsWith(`${folder}/`))
    .toReversed();
}

export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(one), stat(other).catch(() => undefined)]);
  return b !== undefined && a.dev === b.dev && a.ino === b.ino;
}
