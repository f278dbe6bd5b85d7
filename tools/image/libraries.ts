/** Libraries with binaries, also those for other platforms than this one. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar';
import { closureOf, type ImageFile, type Installed, installedAt, type Lock, packageFiles } from './files.ts';

/** What the bundle leaves out. */
export const unbundled: readonly string[] = ['lmdb', 'undici'];

/** By platform, the package that has its binaries. */
export const natives: Readonly<Record<string, string>> = {
  'linux/amd64': '@lmdb/lmdb-linux-x64',
  'linux/arm64': '@lmdb/lmdb-linux-arm64',
};

export interface Libraries {
  readonly files: readonly ImageFile[];
  readonly packages: readonly Installed[];
}

/** Throws when one is neither installed nor to be had. `scratch` is the caller's. */
export function librariesFor(
  platform: string,
  { root, lock, scratch }: { readonly root: string; readonly lock: Lock; readonly scratch: string },
): Libraries {
  const shared = closureOf(unbundled, lock);
  const native = installedAt(`node_modules/${natives[platform] ?? ''}`, lock.packages);
  const installed = join(root, native.path);
  return {
    packages: [...shared, native],
    files: [
      ...shared.flatMap(({ name, path }) => packageFiles(join(root, path), name)),
      ...packageFiles(existsSync(installed) ? installed : fetched(native, join(scratch, native.name)), native.name),
    ],
  };
}

/** From the registry that npm uses; what comes must be what the lock names. */
function fetched({ name, version, integrity = '' }: Installed, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['pack', '--json', '--prefer-offline', '--pack-destination', folder, `${name}@${version}`],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`\`npm pack ${name}@${version}\` failed: ${stderr.trim()}`);
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }];
  const archive = join(folder, filename);
  const [algorithm = '', hash = ''] = integrity.split('-', 2);
  if (createHash(algorithm).update(readFileSync(archive)).digest('base64') !== hash)
    throw new Error(`the registry's ${name}@${version} is not the one that package-lock.json names`);
  extract({ file: archive, cwd: folder, sync: true, strict: true });
  return join(folder, 'package');
}
