import { access, constants, readFile } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { assetFiles } from '../assets/files.ts';
import { writeAssets } from '../assets/folder.ts';
import { shellWord } from '../format/shell.ts';
import { CommandError } from '../io/errors.ts';
import { absolute, type Io, writeLine } from '../io/io.ts';
import { fileProblem } from '../io/manifests.ts';
import { userCache } from '../io/user-cache.ts';
import { version } from '../io/version.ts';

export interface TestAssetsOptions {
  /** Undefined: in the user's cache. */
  readonly folder: string | undefined;
  readonly print: 'path' | 'env';
}

/** Puts the programs that envtest starts into a folder, and prints its path. Resolves with the exit code. */
export async function testAssets({ folder, print }: TestAssetsOptions, io: Io): Promise<number> {
  const { install } = io;
  const [apiServer, etcd, kubectl] = await Promise.all([
    readFile(join(install.programs, 'kube-apiserver.mjs'), 'utf8'),
    readFile(join(install.programs, 'etcd.mjs'), 'utf8'),
    findProgram('kubectl', io),
  ]);
  const parent = folder === undefined ? cacheFolder(io) : absolute(folder, io);
  const files = assetFiles({ apiServer, etcd, kubectl, version, node: install.node });
  const path = await writeAssets(parent, files).catch((cause: unknown) => {
    throw new CommandError(`cannot write to ${parent}: ${fileProblem(cause)}; choose another place with --folder`, {
      cause,
    });
  });
  if (kubectl === undefined)
    writeLine(io.stderr, 'kubectl is not in the PATH, so the folder has none; most tests need none');
  writeLine(io.stdout, print === 'env' ? `export KUBEBUILDER_ASSETS=${shellWord(path)}` : path);
  return 0;
}

function cacheFolder({ env }: Io): string {
  const cache = userCache(env);
  if (cache === undefined)
    throw new CommandError('neither XDG_CACHE_HOME nor HOME is set; choose a place with --folder');
  return join(cache, 'test-assets');
}

async function findProgram(name: string, { env }: Io): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    const runs =
      isAbsolute(folder) &&
      (await access(path, constants.X_OK).then(
        () => true,
        () => false,
      ));
    if (runs) return path;
  }
  return undefined;
}
