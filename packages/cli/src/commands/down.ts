import { folderHolder, formatDuration } from '@signalbox/cluster';
import { dataOption } from '../format/data-option.ts';
import { CommandError } from '../io/errors.ts';
import { holderEnds, signalHolder } from '../io/holder.ts';
import { absolute, type Io, writeLine } from '../io/io.ts';
import { endNodesIn } from '../up/left-nodes.ts';

export interface DownOptions {
  readonly data: string;
  /** How long it may take to end in order. */
  readonly timeoutMs: number;
  /** Kills what does not end in order. */
  readonly kill: boolean;
}

/** The system takes a killed process away within moments. */
const killedMsMax = 5_000;

/** Ends the cluster of a folder and its real nodes. Resolves with 0 when nothing runs there any more; rejects when it goes on. */
export async function down(options: DownOptions, io: Io): Promise<number> {
  await downCluster(options, io);
  const { data, timeoutMs, kill } = options;
  // An `up` that was killed could not take them along.
  for (const { name, pid } of await endNodesIn(absolute(data, io), { withinMs: timeoutMs, kill, io }))
    writeLine(io.stderr, `the real node ${name} of ${data} has stopped${pid === undefined ? '' : ` (process ${pid})`}`);
  return 0;
}

async function downCluster({ data, timeoutMs, kill }: DownOptions, io: Io): Promise<void> {
  const holder = await folderHolder(absolute(data, io));
  if (holder === undefined) {
    writeLine(io.stderr, `no cluster is running in ${data}`);
    return;
  }
  const { pid } = holder;
  signalHolder(holder, 'SIGTERM', io);
  if (await holderEnds(holder, timeoutMs, io)) {
    writeLine(io.stderr, `the cluster in ${data} has stopped (process ${pid})`);
    return;
  }
  const place = dataOption({ data });
  if (!kill)
    throw new CommandError(
      `process ${pid} does not end within ${formatDuration(timeoutMs)}; wait, or end it at once: signalbox down${place} --force (what was acknowledged is on disk)`,
    );
  // Between the two looks it may have ended, and its id may be another's by now.
  if (await holder.isRunning()) signalHolder(holder, 'SIGKILL', io);
  if (!(await holderEnds(holder, killedMsMax, io)))
    throw new CommandError(`process ${pid} cannot be killed; ask the system why (ps ${pid})`);
  writeLine(
    io.stderr,
    `the cluster in ${data} did not end within ${formatDuration(timeoutMs)} and was killed (process ${pid})`,
  );
}
