/**
 * Opens a path below a folder without ever leaving it, whatever is done to the folder meanwhile: step by step, each from the
 * descriptor of the one before, and no step follows a link by itself.
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readlink } from 'node:fs/promises';
import { InsideFailure, invalid } from '../../protocol/failure.ts';

export interface OpenWithin {
  /** What `..` of the folder and absolute links mean: nothing that is allowed, or the folder, as for a root. */
  readonly above: 'refused' | 'the folder';
  /** Folders that are not there are made, with these permission bits. */
  readonly createMode?: number;
}

/** Only names a file: nothing is read or waited for. Node.js does not name it. */
const nameOnly = 0o10000000;
const linksMax = 40;

/** The caller closes it. */
export async function openWithin(folder: string, path: string, options: OpenWithin): Promise<FileHandle> {
  const walk = { opened: [await open(folder, nameOnly)], path, links: 0 };
  try {
    const steps = path.split('/');
    while (steps.length > 0) {
      const step = steps.shift() ?? '';
      if (step === '' || step === '.') continue;
      if (step === '..') await goUp(walk, options);
      else steps.unshift(...(await goDown(walk, step, options)));
    }
    const found = walk.opened.pop();
    if (found === undefined) throw invalid(`${path} cannot be opened`);
    return found;
  } finally {
    await Promise.all(walk.opened.map((each) => each.close()));
  }
}

/** For programs that want a path; as long as the descriptor is open. */
export function pathOf({ fd }: FileHandle): string {
  return `/proc/${process.pid}/fd/${fd}`;
}

interface Walk {
  /** From the folder to where we are. */
  readonly opened: FileHandle[];
  readonly path: string;
  links: number;
}

async function goUp({ opened, path }: Walk, { above }: OpenWithin): Promise<void> {
  if (opened.length > 1) await opened.pop()?.close();
  else if (above === 'refused') throw leaves(path);
}

function leaves(path: string): Error {
  return invalid(`${path} leaves its volume`);
}

/** The steps that a link stands for. */
async function goDown(walk: Walk, step: string, { above, createMode }: OpenWithin): Promise<readonly string[]> {
  const { opened, path } = walk;
  const at = `${pathOf(topOf(walk))}/${step}`;
  // Kept before it is looked at, so that it is closed whatever happens.
  const next = await openStep(at, createMode);
  opened.push(next);
  if (!(await next.stat()).isSymbolicLink()) return [];
  opened.pop();
  await next.close();
  walk.links += 1;
  if (walk.links > linksMax) throw invalid(`${path} has too many links`);
  const target = await readlink(at).catch((cause: unknown) => {
    throw new InsideFailure(`${path} changes while it is being followed`, { code: 'Invalid', cause });
  });
  if (target.startsWith('/')) {
    if (above === 'refused') throw leaves(path);
    await Promise.all(opened.splice(1).map((each) => each.close()));
  }
  return target.split('/');
}

function topOf({ opened, path }: Walk): FileHandle {
  const top = opened.at(-1);
  if (top === undefined) throw leaves(path);
  return top;
}

async function openStep(at: string, createMode: number | undefined): Promise<FileHandle> {
  const flags = nameOnly | constants.O_NOFOLLOW;
  try {
    return await open(at, flags);
  } catch (error) {
    if (createMode === undefined || codeOf(error) !== 'ENOENT') throw error;
    await mkdir(at, { mode: createMode }).catch((failure: unknown) => {
      if (codeOf(failure) !== 'EEXIST') throw failure;
    });
    return open(at, flags);
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
