import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What stands in the folder of a test's programs, by name. */
export type AssetFile =
  | { readonly is: 'program' | 'text'; readonly text: string }
  | { readonly is: 'link'; readonly to: string };

export type AssetFiles = Readonly<Record<string, AssetFile>>;

const hashLength = 16;

/** The same files, the same name; other files, another folder: tests that run go on with what they have. Pure. */
export function folderName(files: AssetFiles): string {
  const hash = createHash('sha256');
  for (const [name, file] of Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(JSON.stringify([name, file]));
  return hash.digest('hex').slice(0, hashLength);
}

/**
 * Puts the files into a folder of their own below `parent`, and resolves with its path. It appears whole: of several that do
 * so at once one wins, and all of them get the same. One that is damaged is made anew.
 */
export async function writeAssets(parent: string, files: AssetFiles): Promise<string> {
  const folder = join(parent, folderName(files));
  if (await isWhole(folder, files)) return folder;
  await mkdir(parent, { recursive: true, mode: 0o755 });
  const making = await mkdtemp(join(parent, '.making-'));
  try {
    const made = join(making, 'made');
    await mkdir(made, { mode: 0o755 });
    await Promise.all(Object.entries(files).map(([name, file]) => put(join(made, name), file)));
    await moveIn(made, { folder, files, aside: join(making, 'damaged') });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}

async function put(path: string, file: AssetFile): Promise<void> {
  if (file.is === 'link') return symlink(file.to, path);
  await writeFile(path, file.text, { mode: file.is === 'program' ? 0o755 : 0o644 });
}

interface Moving {
  readonly folder: string;
  readonly files: AssetFiles;
  readonly aside: string;
}

async function moveIn(made: string, { folder, files, aside }: Moving): Promise<void> {
  const moved = await rename(made, folder).then(
    () => true,
    () => false,
  );
  if (moved || (await isWhole(folder, files))) return;
  await rename(folder, aside).catch(() => undefined);
  await rename(made, folder);
}

async function isWhole(folder: string, files: AssetFiles): Promise<boolean> {
  const found = await Promise.all(
    Object.entries(files).map(async ([name, file]) => {
      const { size = -1 } = (await stat(join(folder, name)).catch(() => undefined)) ?? {};
      return file.is === 'link' ? size > 0 : size === Buffer.byteLength(file.text);
    }),
  );
  return found.every(Boolean);
}
