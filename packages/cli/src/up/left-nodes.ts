import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { folderHolder, formatDuration } from '@signalbox/cluster';
import { CommandError } from '../io/errors.ts';
import { holderEnds, signalHolder } from '../io/holder.ts';
import type { Io } from '../io/io.ts';
import { nodesFolder } from '../io/node-terms.ts';

export interface FoundNode {
  readonly name: string;
  readonly folder: string;
  /** Of the agent; undefined: there is none. */
  readonly pid: number | undefined;
}

/** The real nodes that a data folder has had, by name. */
export async function nodesIn(data: string): Promise<readonly FoundNode[]> {
  const parent = nodesFolder(data);
  // Where the folder is no folder or not to be read, whoever uses it says so.
  const names = await readdir(parent).catch((): readonly string[] => []);
  const found = [...names].sort().map(async (name) => {
    const folder = join(parent, name);
    return { name, folder, pid: (await folderHolder(folder))?.pid };
  });
  return Promise.all(found);
}

export interface Ending {
  /** How long an agent may take to end all that runs. */
  readonly withinMs: number;
  /** Whether one that does not is killed. */
  readonly kill: boolean;
  readonly io: Pick<Io, 'processes' | 'clock' | 'signal' | 'realNodes'>;
}

/** The system takes a killed process away within moments. */
const killedMsMax = 5_000;

/**
 * Ends all that runs on the real nodes of a data folder: their agents, and what an agent that was killed has left behind.
 * Resolves with those that ran.
 */
export async function endNodesIn(data: string, { withinMs, kill, io }: Ending): Promise<readonly FoundNode[]> {
  const ended: FoundNode[] = [];
  for (const node of await nodesIn(data)) {
    const holder = await folderHolder(node.folder);
    if (holder !== undefined) {
      signalHolder(holder, 'SIGTERM', io);
      if (!(await holderEnds(holder, withinMs, io))) {
        if (!kill)
          throw new CommandError(
            `the agent of the real node ${node.name} (process ${holder.pid}) does not end within ${formatDuration(withinMs)}; wait, or end it at once with --force`,
          );
        if (await holder.isRunning()) signalHolder(holder, 'SIGKILL', io);
        await holderEnds(holder, killedMsMax, io);
      }
    }
    const wasLeft = await io.realNodes.endLeftIn(node.folder);
    if (holder !== undefined || wasLeft) ended.push(node);
  }
  return ended;
}
