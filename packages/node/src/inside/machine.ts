/** What this machine offers, found out once at the start. */
import { existsSync, lstatSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountFiles, etcPaths, type Helper, type MachineRoot } from '../sandbox/bubblewrap.ts';
import { run } from './run.ts';

/** `ownFolder`: of inside alone, in memory. */
export async function observeMachine(
  ownFolder: string,
  { isRoot }: { readonly isRoot: boolean },
): Promise<MachineRoot> {
  const accounts = join(ownFolder, 'accounts');
  mkdirSync(accounts, { recursive: true });
  for (const [name, text] of Object.entries(accountFiles)) writeFileSync(join(accounts, name), text);
  return {
    isRoot,
    links: ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].flatMap(linkOf),
    etc: etcPaths.filter((path) => existsSync(path)),
    accounts,
    setpriv: await setprivWithLibraries(),
  };
}

function linkOf(path: string): readonly { readonly path: string; readonly target: string | undefined }[] {
  try {
    return [{ path, target: lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined }];
  } catch {
    return [];
  }
}

async function setprivWithLibraries(): Promise<Helper> {
  const program = '/usr/bin/setpriv';
  const { stdout } = await run(['ldd', program]);
  const libraries = [...stdout.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)].map(([, path = '']) => path);
  const isLoader = (path: string): boolean => /\/ld[^/]*\.so/.test(path);
  return { program, libraries: [...libraries.filter(isLoader), ...libraries.filter((path) => !isLoader(path))] };
}
