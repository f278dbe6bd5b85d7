/**
 * Paths of the node. They are below a folder of the node's own, which pods see as its root: links in it, absolute ones too, lead
 * nowhere else. Real paths of the machine are seen only where somebody allowed them.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { invalid } from '../../protocol/failure.ts';
import { codeOf, openWithin, pathOf } from './open-within.ts';

export interface HostPathPlaces {
  /** The node's root, as pods see it. */
  readonly root: string;
  /** Real paths: these, and what is below them. */
  readonly allowed: readonly string[];
}

const folderMode = 0o755;
const fileMode = 0o644;

/** `type` as in a `hostPath` volume. The caller closes it. */
export async function openHostPath(path: string, type: string, places: HostPathPlaces): Promise<FileHandle> {
  if (!isAbsolute(path) || path.split('/').includes('..'))
    throw invalid(`hostPath ${JSON.stringify(path)} is no absolute path without ..`);
  const allowed = places.allowed.find((each) => isBelow(path, each));
  const base = allowed ?? places.root;
  const below = relative(allowed ?? '/', path);
  const above = allowed === undefined ? 'the folder' : 'refused';
  const find = (createMode?: number): Promise<FileHandle> =>
    openWithin(base, below, { above, ...(createMode === undefined ? {} : { createMode }) });
  if (type === 'FileOrCreate') await createFile(below, { base, above });
  // Without a type the folder is made too: runtimes do it when they mount it. Real ones are never made.
  const isMade = type === 'DirectoryOrCreate' || (type === '' && allowed === undefined);
  const found = await find(isMade ? folderMode : undefined).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') throw wrongType(path, type);
    throw error;
  });
  let isRight = false;
  try {
    isRight = await isOfType(found, type);
  } finally {
    if (!isRight) await found.close();
  }
  if (!isRight) throw wrongType(path, type);
  return found;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

async function createFile(
  path: string,
  { base, above }: { readonly base: string; readonly above: 'refused' | 'the folder' },
): Promise<void> {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  const folder = await openWithin(base, parts.join('/'), { above });
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  try {
    const made = await open(`${pathOf(folder)}/${name}`, O_CREAT | O_EXCL | O_WRONLY, fileMode);
    await made.close();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await folder.close();
  }
}

async function isOfType(found: FileHandle, type: string): Promise<boolean> {
  const stats = await found.stat();
  switch (type) {
    case '':
      return true;
    case 'Directory':
    case 'DirectoryOrCreate':
      return stats.isDirectory();
    case 'File':
    case 'FileOrCreate':
      return stats.isFile();
    case 'Socket':
      return stats.isSocket();
    case 'CharDevice':
      return stats.isCharacterDevice();
    case 'BlockDevice':
      return stats.isBlockDevice();
    default:
      throw invalid(`there is no hostPath type ${type}`);
  }
}

const typeNames: Readonly<Record<string, string>> = {
  File: 'file',
  FileOrCreate: 'file',
  Socket: 'socket file',
  CharDevice: 'character device',
  BlockDevice: 'block device',
};

function wrongType(path: string, type: string): Error {
  return invalid(`hostPath type check failed: ${path} is not a ${typeNames[type] ?? 'directory'}`);
}
