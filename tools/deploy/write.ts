/** Writes `deploy/` anew; what stands there and is no longer made goes. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deployFiles } from './files.ts';

const root = join(import.meta.dirname, '../..');

export function writeDeployFiles(write: (path: string, text: string) => void): void {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
    readonly version: string;
  };
  // The monitoring sources beside them are written by hand.
  rmSync(join(root, 'deploy/chart'), { recursive: true, force: true });
  for (const [path, text] of deployFiles(version)) write(join('deploy', path), text);
}
