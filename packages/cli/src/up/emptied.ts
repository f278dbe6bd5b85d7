import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../io/errors.ts';

/**
 * The certificates are made after the data file, so without one they say that it was lost: what looks like a first start would
 * answer the cluster's clients with silence. A folder that this version has used says so itself.
 */
export async function refuseEmptied(folder: string): Promise<void> {
  const sizes = await Promise.all(['objects.mdb', 'pki'].map((name) => sizeOf(join(folder, name))));
  const [dataBytes, pkiBytes] = sizes;
  if ((dataBytes ?? 0) > 0 || pkiBytes === undefined) return;
  const what = dataBytes === undefined ? 'is missing' : 'is empty';
  throw new CommandError(
    `cannot open the data folder ${folder}: objects.mdb ${what}, and the certificates beside it say that there was a cluster; ${restoreOrRemove(folder)}`,
  );
}

/** How to go on when a cluster's data is lost. */
export function restoreOrRemove(folder: string): string {
  return `restore a backup into another folder (signalbox restore FILE --data DIR), or remove ${folder} to begin with an empty cluster`;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
