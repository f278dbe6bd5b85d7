/**
 * Programs bundled from the sources: few files start faster than many, and what a command needs is split off, so that it is
 * loaded only when that command runs; libraries are taken as ES modules, because those leave out what nobody asks for.
 * `tsx tools/bundle.ts COMMIT FOLDER META` bundles what the command line ships.
 */
import { writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { pastDoors } from './doors.ts';

const root = resolve(import.meta.dirname, '..');

/** What the command line ships. The process inside a real node's namespaces is a program of its own beside it. */
export const shipped: Readonly<Record<string, string>> = {
  main: 'packages/cli/src/main.ts',
  inside: 'packages/node/src/inside/main.ts',
};

/**
 * Each in one file that needs nothing beside it: `test-assets` copies them to a place of their own, where no package is found.
 * lmdb is never loaded there.
 */
export const alone: Readonly<Record<string, string>> = {
  'kube-apiserver': 'packages/cli/src/kube-apiserver-process.ts',
  etcd: 'packages/cli/src/etcd-process.ts',
};

/**
 * What `up` runs, in one file besides: as CommonJS, which Node.js 20 lets somebody else load, with code that is compiled already
 * (packages/cli/src/compiled.ts). V8 knows its source by its length alone, so its name says what is in it.
 */
const whole: Readonly<Record<string, string>> = { whole: 'packages/cli/src/process.ts' };

export interface Bundle {
  /** Program names and their sources, from the root. */
  readonly programs: Readonly<Record<string, string>>;
  readonly folder: string;
  /** For `--version`; empty where there is none. */
  readonly commit: string;
  /** Otherwise it is only told what would be in it. */
  readonly isWritten?: boolean;
  /** What takes part in reading the sources, before all else. */
  readonly plugins?: readonly Plugin[];
}

/** Resolves with what went into it. */
export async function bundle({ programs, folder, commit, isWritten = true, plugins = [] }: Bundle): Promise<Metafile> {
  const entries = (sources: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, join(root, source)]));
  const usual: BuildOptions & { readonly metafile: true } = {
    absWorkingDir: root,
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['signalbox-source'],
    mainFields: ['module', 'main'],
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
    plugins: [...plugins, pastDoors],
  };
  const asOne = await build({
    ...usual,
    entryPoints: entries(whole),
    entryNames: '[name]-[hash]',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    external: ['lmdb', 'undici'],
    // Node.js imports nothing for code that V8 has taken as compiled already, so this file requires.
    supported: { 'dynamic-import': false },
    define: { ...usual.define, 'import.meta.url': '__url', 'import.meta.dirname': '__dirname' },
    banner: {},
    // Where it is run from sources, which a bundle is not.
    logOverride: { 'empty-import-meta': 'silent' },
  });
  const [wholeFile = ''] = Object.keys(asOne.metafile.outputs);
  const others = await Promise.all([
    build({
      ...usual,
      define: { ...usual.define, __SIGNALBOX_WHOLE__: JSON.stringify(basename(wholeFile)) },
      entryPoints: entries(programs),
      splitting: true,
      external: ['lmdb', 'undici'],
      chunkNames: 'chunk-[hash]',
    }),
    build({ ...usual, entryPoints: entries(alone), external: ['lmdb'], outExtension: { '.js': '.mjs' } }),
  ]);
  const metafiles = [asOne, ...others].map(({ metafile }) => metafile);
  return {
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)),
    outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)),
  };
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
