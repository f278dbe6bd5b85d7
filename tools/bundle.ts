/**
 * Programs bundled from the sources: few files start faster than many, and what a command needs is split off, so that it is
 * loaded only when that command runs; libraries are taken as ES modules, because those leave out what nobody asks for.
 * `tsx tools/bundle.ts COMMIT FOLDER META` bundles what the command line ships.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { pastDoors } from './doors.ts';

const root = resolve(import.meta.dirname, '..');

/** What the command line ships. The process inside a real node's namespaces is a program of its own beside it. */
export const shipped: Readonly<Record<string, string>> = {
  main: 'packages/cli/src/main.ts',
  inside: 'packages/node/src/inside/main.ts',
};

export interface Bundle {
  /** Program names and their sources, from the root. */
  readonly programs: Readonly<Record<string, string>>;
  readonly folder: string;
  /** For `--version`; empty where there is none. */
  readonly commit: string;
  /** Otherwise it is only told what would be in it. */
  readonly isWritten?: boolean;
}

export async function bundle({ programs, folder, commit, isWritten = true }: Bundle): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(Object.entries(programs).map(([name, source]) => [name, join(root, source)])),
    absWorkingDir: root,
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['signalbox-source'],
    mainFields: ['module', 'main'],
    external: ['lmdb', 'undici'],
    chunkNames: 'chunk-[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 240,
    logLevel: 'warning',
    define: { __SIGNALBOX_COMMIT__: JSON.stringify(commit) },
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    metafile: true,
    write: isWritten,
    plugins: [pastDoors],
  });
  return metafile;
}

/** Of the inputs of a metafile, the packages that they are from, sorted: `node_modules/@a/b/dist/x.js` → `node_modules/@a/b`, also nested ones. */
export function packagesIn(inputs: Readonly<Record<string, unknown>>): readonly string[] {
  const paths = Object.keys(inputs).flatMap(
    (input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? [],
  );
  return [...new Set(paths)].sort();
}

if (process.argv[1] === import.meta.filename) {
  const [, , commit = '', folder = '', meta = ''] = process.argv;
  writeFileSync(meta, JSON.stringify(await bundle({ programs: shipped, folder, commit })));
}
