/** What a real node is told to look at, before anything is started: a folder that is not there would be empty for ever. */
import { access, constants, readdir, stat } from 'node:fs/promises';
import { CommandError } from './errors.ts';
import { absolute, type Io } from './io.ts';
import { fileProblem } from './manifests.ts';
import type { NodeTerms } from './node-terms.ts';

type Paths = Pick<NodeTerms, 'imagesFile' | 'imagesFolder' | 'staticPods'>;

/** Throws what is wrong with a path that has to be there. */
export async function checkNodePaths({ imagesFile, imagesFolder, staticPods }: Paths, io: Io): Promise<void> {
  const folders = [
    { folder: imagesFolder, option: '--images', mend: 'make it and put OCI layouts or saved images there' },
    { folder: staticPods, option: '--static-pods', mend: 'make it and put manifests of pods there' },
  ];
  for (const { folder, option, mend } of folders) {
    if (folder === undefined) continue;
    await readdir(absolute(folder, io)).catch((cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? `there is no such folder; ${mend}` : fileProblem(cause);
      throw new CommandError(`cannot use ${folder}: ${why} (${option})`, { cause });
    });
  }
  if (imagesFile === undefined) return;
  await access(absolute(imagesFile, io), constants.R_OK).catch((cause: unknown) => {
    throw new CommandError(`cannot read ${imagesFile}: ${fileProblem(cause)} (--images-file)`, { cause });
  });
}

/** What is to be told of real paths that pods may mount: they may come later, as a socket does. */
export async function missingHostPaths({ hostPaths }: Pick<NodeTerms, 'hostPaths'>): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const path of hostPaths) {
    const problem = await stat(path).then(() => undefined, fileProblem);
    if (problem !== undefined)
      missing.push(`${path}: ${problem}; until it is there no pod can mount it, and none is made (--host-path)`);
  }
  return missing;
}
