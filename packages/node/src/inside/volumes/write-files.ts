/**
 * Files that change as a whole, laid out as a kubelet does it: visible names are links into `..data`, which is a link to the
 * folder with the files; a new set is a new folder, and becomes visible by one rename.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { invalid } from '../../protocol/failure.ts';
import type { VolumeFile } from '../../protocol/volume.ts';
import type { Owners } from './owners.ts';

const dataLink = '..data';
const nextLink = '..data_tmp';
/** The group of a volume may read all of it, and enter its folders. */
const groupReads = 0o440;
const groupEnters = 0o2550;

/** The folder is there. The same files again change nothing. */
export function writeFiles(folder: string, files: readonly VolumeFile[], owners: Owners): void {
  for (const { path } of files) assertInside(path);
  const stamp = `..${stampOf(files, owners)}`;
  const before = new Set(readdirSync(folder));
  if (!before.has(dataLink) || readlinkSync(join(folder, dataLink)) !== stamp) {
    // What was being written when somebody died.
    for (const name of [stamp, nextLink]) if (before.has(name)) rmSync(join(folder, name), { recursive: true });
    writeSet(join(folder, stamp), files, owners);
    symlinkSync(stamp, join(folder, nextLink));
    renameSync(join(folder, nextLink), join(folder, dataLink));
  }
  const names = new Set(files.map(({ path }) => path.split('/')[0] ?? ''));
  for (const name of names) if (!before.has(name)) symlinkSync(join(dataLink, name), join(folder, name));
  for (const name of before)
    if (!names.has(name) && name !== dataLink && name !== stamp)
      rmSync(join(folder, name), { recursive: true, force: true });
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

function writeSet(folder: string, files: readonly VolumeFile[], owners: Owners): void {
  makeFolder(folder, owners);
  for (const { path, base64, mode, owner } of files) {
    const file = join(folder, path);
    makeParents(folder, { path, owners });
    writeFileSync(file, Buffer.from(base64, 'base64'), { mode: 0o600 });
    if (owners.isRoot && (owner !== undefined || owners.group !== undefined))
      chownSync(file, owner ?? 0, owners.group ?? 0);
    chmodSync(file, owners.group === undefined ? mode : mode | groupReads);
  }
}

function makeParents(folder: string, { path, owners }: { readonly path: string; readonly owners: Owners }): void {
  let at = folder;
  for (const part of dirname(path).split('/')) {
    if (part === '.') continue;
    at = join(at, part);
    makeFolder(at, owners);
  }
}

function makeFolder(folder: string, { isRoot, group }: Owners): void {
  mkdirSync(folder, { recursive: true });
  if (isRoot && group !== undefined) chownSync(folder, 0, group);
  chmodSync(folder, 0o755 | (group === undefined ? 0 : groupEnters));
}
