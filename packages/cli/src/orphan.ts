import { type Clock, sleep } from '@signalbox/cluster/base';
import type { Launcher, ProcessTable } from './launcher.ts';

export interface Watching {
  readonly table: Pick<ProcessTable, 'parentId'>;
  /** The same as long as it is the same process; "none" when there is none. */
  readonly nameOf: (pid: number) => Promise<string>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const lookEveryMs = 1_000;

/** Resolves when the launcher, or the shell between, has ended; rejects when the signal aborts. */
export async function untilLeft(
  launcher: Launcher | 'gone',
  { table, nameOf, clock, signal }: Watching,
): Promise<void> {
  if (launcher === 'gone') return;
  const { pid, parentId } = launcher;
  const name = await nameOf(pid);
  // It may have ended since it was found.
  if (name === 'none') return;
  while (table.parentId() === parentId && (await nameOf(pid)) === name) await sleep(clock, lookEveryMs, { signal });
}
