/** What this machine offers, found out once at the start. */
import { lstatSync, readlinkSync } from 'node:fs';
import type { Helper, MachineRoot } from '../sandbox/bubblewrap.ts';
import { run } from './run.ts';

export async function observeMachine({ isRoot }: { readonly isRoot: boolean }): Promise<MachineRoot> {
  return {
    isRoot,
    links: ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].flatMap(linkOf),
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
