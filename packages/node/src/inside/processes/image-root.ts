/**
 * What an unpacked image's container sees at `/`: the image, with a layer above it that takes what is written and goes with the
 * container. Where the file system cannot hold layers the image is copied.
 */
import { lstat, mkdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid } from '../../protocol/failure.ts';
import type { ResolvedMount } from '../../sandbox/bubblewrap.ts';
import { run, runWell } from '../run.ts';

export interface ImageRoot {
  readonly path: string;
  close(): Promise<void>;
}

/** `folder` is the container's alone, and is made here. */
export async function openImageRoot(image: string, folder: string): Promise<ImageRoot> {
  if (/[,:\\]/.test(`${image}${folder}`))
    throw invalid(`the path of the image ${image} has a comma, a colon or a backslash`);
  const [upper, work, path] = ['upper', 'work', 'root'].map((name) => join(folder, name)) as [string, string, string];
  for (const each of [upper, work, path]) await mkdir(each, { recursive: true });
  const close = async (): Promise<void> => {
    await run(['umount', '-l', path]);
    await rm(folder, { recursive: true, force: true });
  };
  const layers = `lowerdir=${image},upperdir=${upper},workdir=${work}`;
  for (const options of [layers, `${layers},userxattr`])
    if ((await run(['mount', '-t', 'overlay', '-o', options, 'overlay', path])).code === 0) return { path, close };
  try {
    await runWell(['cp', '-a', '--reflink=auto', `${image}/.`, path]);
  } catch (error) {
    await close();
    throw error;
  }
  return { path, close };
}

/**
 * Where a path of the container's really is below its root. bubblewrap follows links as the machine sees them, and an image may hold
 * any: `/var/run` that leads to `/run`, or one that leads out.
 */
export async function targetIn(root: string, target: string): Promise<string> {
  let steps = target.split('/').filter(Boolean);
  let done: readonly string[] = [];
  for (let links = 0; steps.length > 0; ) {
    const [step = '', ...rest] = steps;
    steps = rest;
    if (step === '.') continue;
    if (step === '..') {
      done = done.slice(0, -1);
      continue;
    }
    const path = join(root, ...done, step);
    const isLink = await lstat(path).then(
      (found) => found.isSymbolicLink(),
      () => false,
    );
    if (!isLink) {
      done = [...done, step];
      continue;
    }
    links += 1;
    if (links > linksMax) throw invalid(`${target} leads through more than ${linksMax} links`);
    const leadsTo = await readlink(path);
    if (leadsTo.startsWith('/')) done = [];
    steps = [...leadsTo.split('/').filter(Boolean), ...steps];
  }
  return `/${done.join('/')}`;
}

/** As the kernel has it. */
const linksMax = 40;

export function mountsIn(root: string, mounts: readonly ResolvedMount[]): Promise<readonly ResolvedMount[]> {
  return Promise.all(mounts.map(async (mount) => ({ ...mount, target: await targetIn(root, mount.target) })));
}
