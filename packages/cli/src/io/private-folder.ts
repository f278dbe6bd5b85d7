import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes the folder and those above it that are missing. Keys and credentials lie inside, so nobody but the owner may look
 * into what is made here; what is there already keeps its mode. Step by step: Node's own recursive mkdir never ends where
 * the system takes no folders at all, such as /proc.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  if (dirname(path) !== path) await makePrivateFolder(dirname(path));
  await mkdir(path, { mode: 0o700 });
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
