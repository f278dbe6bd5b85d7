import { type FolderHolder, sleep } from '@signalbox/cluster';
import { CommandError } from './errors.ts';
import type { Io } from './io.ts';

const lookEveryMs = 50;

/** Nothing happens when it has ended meanwhile. */
export function signalHolder(
  { pid }: FolderHolder,
  signal: 'SIGTERM' | 'SIGHUP' | 'SIGKILL',
  { processes }: Pick<Io, 'processes'>,
): void {
  try {
    processes.kill(pid, signal);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ESRCH') return;
    if (code === 'EPERM')
      throw new CommandError(`process ${pid} belongs to another user; ask them, or run this as they would`, { cause });
    throw cause;
  }
}

/** Whether it ends within the time. */
export async function holderEnds(
  holder: FolderHolder,
  withinMs: number,
  { clock, signal }: Pick<Io, 'clock' | 'signal'>,
): Promise<boolean> {
  const deadlineMs = clock.nowMs() + withinMs;
  while (await holder.isRunning()) {
    if (clock.nowMs() >= deadlineMs) return false;
    await sleep(clock, lookEveryMs, { signal });
  }
  return true;
}
