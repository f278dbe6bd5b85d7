/**
 * What containers see of the machine's `/etc`: copies, in memory. All are seen by one mount then; each of its own would be a mount that
 * every container begins with.
 */
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountFiles, type EtcFolder, etcPaths } from '../sandbox/bubblewrap.ts';
import { run } from './run.ts';

export interface Etc {
  /** As the machine has it now. Who has begun with an older one keeps it. */
  current(): Promise<EtcFolder>;
}

/** `ownFolder`: of inside alone, in memory. */
export function createEtc(ownFolder: string, wanted: readonly string[] = etcPaths): Etc {
  let copied: { readonly stamp: string; readonly made: Promise<EtcFolder> } | undefined;
  let count = 0;
  return {
    current() {
      const found = wanted.flatMap(seen);
      const stamp = found.map(({ path, changedMs }) => `${path} ${changedMs}`).join();
      if (copied?.stamp !== stamp) {
        count += 1;
        const paths = found.map(({ path }) => path);
        copied = { stamp, made: copy(paths, join(ownFolder, `machine${count}`)) };
      }
      return copied.made;
    },
  };
}

/** A folder changes when what is in it is replaced, as those do that write certificates. */
function seen(path: string): readonly { readonly path: string; readonly changedMs: number }[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? [] : [{ path, changedMs: stats.mtimeMs }];
}

async function copy(paths: readonly string[], folder: string): Promise<EtcFolder> {
  mkdirSync(join(folder, 'etc'), { recursive: true });
  // What this user may not read, no container needs.
  await run(['cp', '-RP', '--parents', '--preserve=timestamps', ...paths, folder]);
  for (const [name, text] of Object.entries(accountFiles)) writeFileSync(join(folder, 'etc', name), text);
  return { folder, paths: [...paths, ...Object.keys(accountFiles).map((name) => `/etc/${name}`)] };
}
