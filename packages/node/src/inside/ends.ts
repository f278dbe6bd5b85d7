/**
 * How containers ended that a process inside ended with itself: it writes that down before it goes, and the next one tells the
 * agent. As container runtimes, which remember what ran before the machine was started again.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { ContainerState } from '../protocol/inside.ts';

/** What the one before has left, once: what runs from now on makes it old. */
export async function takeEnds(path: string): Promise<readonly ContainerState[]> {
  try {
    const states = JSON.parse(await readFile(path, 'utf8')) as readonly ContainerState[];
    return states.filter(({ ended }) => ended !== undefined);
  } catch {
    // There is none, or its disk was full: then nobody knows.
    return [];
  } finally {
    await rm(path, { force: true });
  }
}

export async function leaveEnds(path: string, states: readonly ContainerState[]): Promise<void> {
  const ended = states.filter((state) => state.ended !== undefined);
  if (ended.length === 0) return;
  await writeFile(`${path}.new`, JSON.stringify(ended), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
