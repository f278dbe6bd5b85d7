/**
 * `npm run watch`: after a save, the unit tests that have to do with the file. vitest's own watch knows only the tests that it
 * has run already, so it would run all of them first.
 */
import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { createVitest } from 'vitest/node';
import { createGraph } from './related.ts';

/** What half of the sources import has more tests than anybody waits for. */
const testsMax = 12;
/** Those that import the file itself, mostly: they answer first. */
const firstTests = 3;
/** An editor writes a file in several steps, and several files at once. */
const settleMs = 50;

const root = resolve(import.meta.dirname, '..');
const folders = [
  'packages/cluster/src',
  'packages/telemetry/src',
  'packages/node/src',
  'packages/cli/src',
  'tools',
  'bench',
  'examples',
];
const graph = createGraph({
  entries: {
    '@signalbox/cluster': 'packages/cluster/src/index.ts',
    '@signalbox/cluster/testing': 'packages/cluster/src/testing/index.ts',
    '@signalbox/telemetry': 'packages/telemetry/src/index.ts',
    '@signalbox/node': 'packages/node/src/index.ts',
  },
});

function read(file: string): void {
  const path = join(root, file);
  if (!existsSync(path)) graph.remove(file);
  else if (file.endsWith('.ts') && statSync(path).isFile()) graph.put(file, readFileSync(path, 'utf8'));
}

for (const folder of folders)
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.ts') && !name.includes('node_modules')) read(`${folder}/${name}`);

// Its own watcher sees nothing: it would run tests a second time.
const blind = { server: { watch: null } };
const vitest = await createVitest(
  'test',
  { watch: true, standalone: true, project: ['unit'], root, clearScreen: false },
  blind,
);
await vitest.standalone();

const changed = new Set<string>();
let running: Promise<unknown> = Promise.resolve();
let timer: NodeJS.Timeout | undefined;

async function run(): Promise<void> {
  const files = [...changed];
  changed.clear();
  for (const file of files) {
    read(file);
    vitest.invalidateFile(join(root, file));
  }
  const all = [...new Set(files.flatMap((file) => graph.testsOf(file)))].filter(
    (test) => !test.endsWith('.e2e.test.ts') && existsSync(join(root, test)),
  );
  if (all.length === 0) return;
  const tests = all.slice(0, testsMax);
  for (const part of [tests.slice(0, firstTests), tests.slice(firstTests)]) {
    const specifications = part.flatMap((test) => vitest.getModuleSpecifications(join(root, test)));
    if (specifications.length > 0) await vitest.rerunTestSpecifications(specifications);
  }
  if (all.length > tests.length)
    process.stdout.write(`the nearest ${tests.length} of ${all.length} test files; npm run check runs all\n`);
}

for (const folder of folders)
  watch(join(root, folder), { recursive: true }, (_, name) => {
    if (name === null || name.includes('node_modules')) return;
    changed.add(`${folder}/${name}`);
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(run).catch((error: unknown) => console.error(error));
    }, settleMs);
  });
process.stdout.write('waiting for changes; Ctrl-C ends it\n');
