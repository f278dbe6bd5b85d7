/**
 * Bundles what tests start as processes of their own from the sources as they are: it begins in a tenth of the time that a
 * loader of sources takes, and it is what users get, with a judge beside the authorizer. A global setup of vitest; its projects share one folder.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { programsVariable } from '../packages/node/src/testing/programs.ts';
import { bundle, shipped } from './bundle.ts';
import { judgedInBundles } from './judged.ts';

const programs = {
  ...shipped,
  'node-process': 'packages/node/src/testing/node-process.ts',
};

/** Returns what removes them again. */
export default async function bundlePrograms(): Promise<() => void> {
  if (process.env[programsVariable] !== undefined) return () => undefined;
  // Below node_modules, where they find what is not bundled.
  const cache = resolve(import.meta.dirname, '../node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'programs-'));
  // Other users start them, too.
  chmodSync(folder, 0o755);
  await bundle({ programs, folder, commit: 'tests', plugins: [judgedInBundles] });
  process.env[programsVariable] = folder;
  return () => {
    delete process.env[programsVariable];
    rmSync(folder, { recursive: true, force: true });
  };
}
