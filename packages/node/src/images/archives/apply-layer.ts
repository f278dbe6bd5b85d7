/** Puts a layer onto the files of an image. Links of the image are followed as if its folder were the root. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, lchown, link, lstat, mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ReadEntry } from 'tar';
import { type EntryAction, planEntry } from './entries.ts';
import { readTar } from './tar-entries.ts';

export interface Layer {
  /** The file with the layer. */
  readonly file: string;
  /** Of the layer unpacked, `sha256:…`. */
  readonly diffId: string;
}

export interface ApplyOptions {
  /** Owners are kept; else all belongs to who unpacks it. */
  readonly isRoot: boolean;
  readonly bytesMax: number;
}

/** Returns how many bytes it has. Throws when it is damaged, or compressed as we cannot read it. */
export async function applyLayer(root: string, { file, diffId }: Layer, options: ApplyOptions): Promise<number> {
  const hash = createHash('sha256');
  const made = new Set<string>();
  let bytes = 0;
  await readTar(file, {
    chunk: (each) => hash.update(each),
    async entry(entry) {
      bytes += entry.size;
      if (bytes > options.bytesMax) throw new Error(`it holds more than ${options.bytesMax} bytes`);
      await applyEntry(root, entry, { ...options, made });
    },
  });
  const found = `sha256:${hash.digest('hex')}`;
  if (found !== diffId) throw new Error(`a layer is ${found} and should be ${diffId}`);
  return bytes;
}

interface EntryOptions extends ApplyOptions {
  /** What this layer has made: a cleared folder keeps it. */
  readonly made: Set<string>;
}

async function applyEntry(root: string, entry: ReadEntry, options: EntryOptions): Promise<void> {
  const action = planEntry(entry);
  if (action.is === 'nothing' || ('path' in action && action.path === '' && action.is !== 'clear')) {
    entry.resume();
    return;
  }
  const path = await placeOf(root, action.path);
  if (action.is !== 'file') entry.resume();
  await perform(action, { ...options, root, path, entry });
}

interface Performing extends EntryOptions {
  readonly root: string;
  readonly path: string;
  readonly entry: ReadEntry;
}

async function perform(action: Exclude<EntryAction, { is: 'nothing' }>, options: Performing): Promise<void> {
  const { root, path, entry, made } = options;
  switch (action.is) {
    case 'remove':
      await rm(path, { recursive: true, force: true });
      return;
    case 'clear':
      await clear(path, made);
      return;
    case 'folder':
      if (!(await isFolder(path))) {
        await rm(path, { force: true });
        await mkdir(path);
      }
      break;
    case 'file':
      await rm(path, { recursive: true, force: true });
      await pipeline(entry, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      break;
    case 'link':
      await rm(path, { recursive: true, force: true });
      await symlink(action.target, path);
      break;
    case 'name':
      await rm(path, { recursive: true, force: true });
      await link(await placeOf(root, action.of), path);
      made.add(path);
      return;
    default:
      action satisfies never;
  }
  made.add(path);
  await own(path, options);
}

async function own(path: string, { entry, isRoot }: Performing): Promise<void> {
  const { uid = 0, gid = 0, mode = 0o755, type } = entry;
  if (isRoot) await lchown(path, uid, gid);
  if (type === 'SymbolicLink') return;
  // Who is not root has to be able to go on, and its sets of user and group would be somebody else's.
  await chmod(path, isRoot ? mode & 0o7777 : (mode & 0o777) | (type === 'Directory' ? 0o700 : 0o600));
}

async function clear(path: string, made: ReadonlySet<string>): Promise<void> {
  if (!(await isFolder(path))) return;
  for (const name of await readdir(path)) {
    const child = join(path, name);
    const isKept = [...made].some((each) => each === child || each.startsWith(`${child}/`));
    if (isKept) await clear(child, made);
    else await rm(child, { recursive: true, force: true });
  }
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() === true;
}

const linksMax = 40;

/** Where the entry is on this machine. Folders above it are made; its own name is not followed. */
async function placeOf(root: string, path: string): Promise<string> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const pending = dirname(path)
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  let at: readonly string[] = [];
  let links = 0;
  while (pending.length > 0) {
    const part = pending.shift() ?? '';
    if (part === '' || part === '.') continue;
    if (part === '..') {
      at = at.slice(0, -1);
      continue;
    }
    const here = join(root, ...at, part);
    const stats = await lstat(here).catch(() => undefined);
    if (stats === undefined) await mkdir(here, { mode: 0o755 });
    if (stats === undefined || stats.isDirectory()) at = [...at, part];
    else if (stats.isSymbolicLink() && ++links <= linksMax) {
      const target = await readlink(here);
      if (target.startsWith('/')) at = [];
      pending.unshift(...target.split('/'));
    } else throw new Error(`${path} is below what is no folder`);
  }
  return join(root, ...at, name);
}
