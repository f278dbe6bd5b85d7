import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { shellWord } from '../format/shell.ts';

export interface ExposureOptions {
  /** The data folder; undefined: everything is in memory. */
  readonly folder: string | undefined;
  /** Who runs this process; undefined where the system knows no such numbers. */
  readonly userId: number | undefined;
}

/**
 * Who else could read the cluster's keys, and how to mend it; one sentence each. The folder and the files in it are made
 * for their owner alone, but whoever copies, mounts or unpacks them may lose that.
 */
export async function exposures({ folder, userId }: ExposureOptions): Promise<readonly string[]> {
  if (userId === undefined || folder === undefined) return [];
  const found = [...(await exposureOf(folder, { userId, mend: `chmod -R go= ${shellWord(folder)}` }))];
  for (const path of await keysIn(join(folder, 'pki')))
    found.push(...(await exposureOf(path, { userId, mend: `chmod 600 ${shellWord(path)}` })));
  return found;
}

async function keysIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((): readonly string[] => []);
  return names.filter((name) => name.endsWith('.key') || name === 'token').map((name) => join(folder, name));
}

interface Exposing {
  readonly userId: number;
  readonly mend: string;
}

async function exposureOf(path: string, { userId, mend }: Exposing): Promise<readonly string[]> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) return [];
  return exposuresOf({ path, mode: facts.mode, ownerId: facts.uid }, { userId, mend });
}

export interface PathFacts {
  readonly path: string;
  readonly mode: number;
  readonly ownerId: number;
}

/** Pure. */
export function exposuresOf({ path, mode, ownerId }: PathFacts, { userId, mend }: Exposing): readonly string[] {
  const bits = mode & 0o777;
  const others = [...((bits & 0o070) === 0 ? [] : ['its group']), ...((bits & 0o007) === 0 ? [] : ['every user'])];
  const found: string[] = [];
  if (others.length > 0)
    found.push(
      `${path} is open to ${others.join(' and ')} of this computer (mode ${bits.toString(8)}); who reads it may do everything with the cluster: ${mend}`,
    );
  if (ownerId !== userId)
    found.push(
      `${path} belongs to user ${ownerId}, not to user ${userId} who runs this; its owner may do everything with the cluster: chown ${userId} ${shellWord(path)}, unless that is meant`,
    );
  return found;
}
