/**
 * Files that change as a whole, laid out as a kubelet does it: visible names are links into `..data`, which is a link to the
 * folder with the files; a new set is a new folder, and becomes visible by one rename.
 */
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { invalid } from '../../protocol/failure.ts';
import type { VolumeFile } from '../../protocol/volume.ts';
import type { Owners } from './owners.ts';

const dataLink = '..data';
/** The group of a volume may read all of it, and enter its folders. */
const groupReads = 0o440;
const groupEnters = 0o2550;

/** The folder is there. The same files again change nothing. */
export async function writeFiles(folder: string, files: readonly VolumeFile[], owners: Owners): Promise<void> {
  for (const { path } of files) assertInside(path);
  const stamp = `..${stampOf(files, owners)}`;
  const before = await readlink(join(folder, dataLink)).catch(() => undefined);
  if (before !== stamp) {
    await rm(join(folder, stamp), { recursive: true, force: true });
    await writeSet(join(folder, stamp), files, owners);
    const next = join(folder, '..data_tmp');
    await rm(next, { force: true });
    await symlink(stamp, next);
    await rename(next, join(folder, dataLink));
  }
  await showNames(folder, new Set(files.map(({ path }) => path.split('/')[0] ?? '')));
  const stale = (await readdir(folder)).filter((name) => name.startsWith('..') && name !== dataLink && name !== stamp);
  for (const name of stale) await rm(join(folder, name), { recursive: true, force: true });
}

function assertInside(path: string): void {
  const parts = path.split('/');
  if (path.startsWith('..') || parts.some((part) => ['', '.', '..'].includes(part)) || path.includes('\0'))
    throw invalid(`${JSON.stringify(path)} is no path of a file in a volume`);
}

function stampOf(files: readonly VolumeFile[], owners: Owners): string {
  return createHash('sha256')
    .update(JSON.stringify([files, owners]))
    .digest('hex')
    .slice(0, 24);
}

async function writeSet(folder: string, files: readonly VolumeFile[], owners: Owners): Promise<void> {
  await makeFolder(folder, owners);
  for (const { path, base64, mode, owner } of files) {
    const file = join(folder, path);
    await makeParents(folder, { path, owners });
    await writeFile(file, Buffer.from(base64, 'base64'), { mode: 0o600 });
    if (owners.isRoot && (owner !== undefined || owners.group !== undefined))
      await chown(file, owner ?? 0, owners.group ?? 0);
    await chmod(file, owners.group === undefined ? mode : mode | groupReads);
  }
}

async function makeParents(
  folder: string,
  { path, owners }: { readonly path: string; readonly owners: Owners },
): Promise<void> {
  let at = folder;
  for (const part of dirname(path).split('/')) {
    if (part === '.') continue;
    at = join(at, part);
    await makeFolder(at, owners);
  }
}

async function makeFolder(folder: string, { isRoot, group }: Owners): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (isRoot && group !== undefined) await chown(folder, 0, group);
  await chmod(folder, 0o755 | (group === undefined ? 0 : groupEnters));
}

async function showNames(folder: string, names: ReadonlySet<string>): Promise<void> {
  const there = new Set((await readdir(folder)).filter((name) => !name.startsWith('..')));
  for (const name of names) if (!there.has(name)) await symlink(join(dataLink, name), join(folder, name));
  for (const name of there) if (!names.has(name)) await rm(join(folder, name), { recursive: true, force: true });
}
