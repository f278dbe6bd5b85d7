import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optimizeLater, quietProcess } from '@signalbox/cluster';
import type { FoundProgram } from '@signalbox/node';
import type { RealNodes } from './io/real-nodes.ts';

declare const __SIGNALBOX_COMMIT__: string | undefined;

/** Nodes of this machine; loaded by who asks for one. */
export function machineNodes({ isRoot }: { readonly isRoot: boolean }): RealNodes {
  return {
    async lacks() {
      const { lacksOf, observeFacts } = await import('@signalbox/node');
      return lacksOf(await observeFacts({ isRoot }));
    },
    async address() {
      return (await import('@signalbox/node')).defaultNetwork.bridge;
    },
    async start(options) {
      optimizeLater();
      const { startNode } = await import('@signalbox/node');
      return startNode({ ...options, insideCommand: insideCommand(), reloader: reloader() });
    },
    async endLeftIn(folder) {
      const { connectInside, nodePlaces } = await import('@signalbox/node');
      const { doors } = nodePlaces(folder);
      if (!existsSync(doors)) return false;
      const inside = connectInside(doors);
      try {
        await inside.end();
        return true;
      } catch {
        // Nobody is there: the door is left over.
        return false;
      } finally {
        inside.close();
      }
    },
  };
}

/** Beside this file in the bundle; with what started this process, where the sources are run. */
function insideCommand(): readonly [string, ...string[]] {
  const isBundle = typeof __SIGNALBOX_COMMIT__ === 'string';
  const program = isBundle
    ? new URL('./inside.js', import.meta.url).href
    : import.meta.resolve('@signalbox/node/inside');
  // The last one counts, and `up` has a large young space.
  return [process.execPath, ...process.execArgv, ...quietProcess, fileURLToPath(program)];
}

/** This command line, as containers see it: by its own path, with what started it. */
function reloader(): FoundProgram {
  const isBundle = typeof __SIGNALBOX_COMMIT__ === 'string';
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const source = fileURLToPath(new URL('./main.ts', import.meta.url));
  const path = isBundle ? main : source;
  const folder = isBundle ? dirname(path) : fileURLToPath(new URL('../../..', import.meta.url));
  return { argv: [process.execPath, ...process.execArgv, path, 'reloader'], path, paths: [process.execPath, folder] };
}
