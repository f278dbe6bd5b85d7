import { type FolderHolder, folderHolder, formatDuration, sleep } from '@signalbox/cluster';
import { shellWord } from '../format/shell.ts';
import { CommandError } from '../io/errors.ts';
import { absolute, type Io, writeLine } from '../io/io.ts';
import { defaultFolder } from '../io/places.ts';

export interface DownOptions {
  readonly data: string;
  /** How long it may take to end in order. */
  readonly timeoutMs: number;
  /** Kills what does not end in order. */
  readonly kill: boolean;
}

const lookEveryMs = 50;
/** The system takes a killed process away within moments. */
const killedMsMax = 5_000;

/** Ends the cluster of a folder. Resolves with 0 when none runs there any more; rejects when it goes on. */
export async function down({ data, timeoutMs, kill }: DownOptions, io: Io): Promise<number> {
  const holder = await folderHolder(absolute(data, io));
  if (holder === undefined) {
    writeLine(io.stderr, `no cluster is running in ${data}`);
    return 0;
  }
  const { pid } = holder;
  send(holder, 'SIGTERM', io);
  if (await ends(holder, timeoutMs, io)) {
    writeLine(io.stderr, `the cluster in ${data} has stopped (process ${pid})`);
    return 0;
  }
  const place = data === defaultFolder ? '' : ` --data ${shellWord(data)}`;
  if (!kill)
    throw new CommandError(
      `process ${pid} does not end within ${formatDuration(timeoutMs)}; wait, or end it at once: signalbox down${place} --force (what was acknowledged is on disk)`,
    );
  // Between the two looks it may have ended, and its id may be another's by now.
  if (await holder.isRunning()) send(holder, 'SIGKILL', io);
  if (!(await ends(holder, killedMsMax, io)))
    throw new CommandError(`process ${pid} cannot be killed; ask the system why (ps ${pid})`);
  writeLine(
    io.stderr,
    `the cluster in ${data} did not end within ${formatDuration(timeoutMs)} and was killed (process ${pid})`,
  );
  return 0;
}

function send({ pid }: FolderHolder, signal: 'SIGTERM' | 'SIGKILL', { processes }: Io): void {
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

async function ends(holder: FolderHolder, withinMs: number, { clock, signal }: Io): Promise<boolean> {
  const deadlineMs = clock.nowMs() + withinMs;
  while (await holder.isRunning()) {
    if (clock.nowMs() >= deadlineMs) return false;
    await sleep(clock, lookEveryMs, { signal });
  }
  return true;
}
