import { fileURLToPath } from 'node:url';
import type { StartInside } from '../inside/start-inside.ts';

/** How the sources are run as they are, without a build. */
export const fromSources: readonly [string, ...string[]] = [
  process.execPath,
  '--conditions=signalbox-source',
  '--import',
  import.meta.resolve('tsx'),
];

export const insideCommand: StartInside['command'] = [
  ...fromSources,
  fileURLToPath(new URL('../inside/main.ts', import.meta.url)),
];
