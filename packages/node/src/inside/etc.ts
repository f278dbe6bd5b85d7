/**
 * What containers see of the machine's `/etc`: copies, in memory. All are seen by one mount then; each of its own would be a mount that
 * every container begins with.
 */
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountFiles, type EtcFolder, etcPaths } from '../sandbox/bubblewrap.ts';
import { run } from './run.ts';

export interface Etc {
  /** As the machine has it now. Who has begun with an older one keeps it. */
  current(): Promise<EtcFolder>;
}

/** `ownFolder`: of inside alone, in memory. */
export function createEtc(ownFolder: string, wanted: readonly string[] = etcPaths): Etc {
  let copied:
    | { readonly looksAt: readonly string[]; readonly stamp: string; readonly made: Promise<EtcFolder> }
    | undefined;
  let count = 0;
  return {
    current() {
      if (copied !== undefined && copied.stamp === stampOf(copied.looksAt)) return copied.made;
      count += 1;
      const looksAt = [...wanted, ...wanted.flatMap(foldersIn)];
      const paths = wanted.filter((path) => changedMs(path) !== undefined);
      const next = { looksAt, stamp: stampOf(looksAt), made: copy(paths, join(ownFolder, `machine${count}`)) };
      copied = next;
      // It is tried again by whoever comes next.
      next.made.catch(() => (copied = copied === next ? undefined : copied));
      return next.made;
    },
  };
}

/** A folder changes when what is in it is replaced, as those do that write certificates. */
function stampOf(paths: readonly string[]): string {
  return paths.map(changedMs).join();
}

function changedMs(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** At any depth: what changes in them does not change the outermost. */
function foldersIn(path: string): readonly string[] {
  try {
    const below = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return below.map(({ name }) => join(path, name)).flatMap((folder) => [folder, ...foldersIn(folder)]);
  } catch {
    // None, or one that this user may not look into.
    return [];
  }
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

async function copy(paths: readonly string[], folder: string): Promise<EtcFolder> {
  mkdirSync(join(folder, 'etc'), { recursive: true });
  // What this user may not read, no container needs.
  await run(['cp', '-RP', '--parents', '--preserve=timestamps', ...paths, folder]);
  for (const [name, text] of Object.entries(accountFiles)) writeFileSync(join(folder, 'etc', name), text);
  return {
    ...{ folder, paths: [...paths, ...Object.keys(accountFiles).map((name) => `/etc/${name}`)] },
    namesIn: (path) => namesIn(join(folder, path)),
  };
}
