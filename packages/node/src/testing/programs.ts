/** Where the programs are that tests start as processes of their own: `tools/bundle-programs.ts` bundles them first. */
import { join } from 'node:path';

/** The folder: in the environment, since whoever needs it may be a process further down. */
export const programsVariable = 'SIGNALBOX_PROGRAMS';

export function programPath(name: 'inside' | 'node-process'): string {
  const folder = process.env[programsVariable];
  if (folder === undefined)
    throw new Error(`${programsVariable} names no folder of bundled programs: run this by vitest, or bundlePrograms()`);
  return join(folder, `${name}.js`);
}
