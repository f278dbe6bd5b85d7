/**
 * The figures of the README, each the median of several runs in fresh processes: `npm run bench [-- --runs 5] [-- NAME…]`.
 * They are no tests: machines are noisy. Compare variants within one run.
 */
import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { readArguments } from '../tools/arguments.ts';
import { type Figures, measureDaemonSet, measureStart } from './outside.ts';

const root = resolve(import.meta.dirname, '..');
const cases = join(root, 'node_modules/.cache/bench');

const { values, positionals } = readArguments(
  {
    allowPositionals: true,
    options: { runs: { type: 'string', default: '3' }, help: { type: 'boolean', default: false } },
  },
  'npm run bench -- [--runs N] [NAME…]',
);

interface Measurement {
  readonly name: string;
  /** What each figure is to reach, where there is a goal. */
  readonly goals?: Figures;
  run(): Promise<Figures>;
}

const measurements: readonly Measurement[] = [
  { name: 'start', goals: { 'ms to kubectl get ns': 1_000, 'idle MB': 150 }, run: measureStart },
  { name: 'store', run: () => inProcess('store') },
  { name: 'daemonset-500', run: () => inProcess('daemonset', '500') },
  { name: 'daemonset-1000', goals: { ms: 2_000 }, run: () => inProcess('daemonset', '1000') },
  { name: 'daemonset-5000', goals: { ms: 10_000 }, run: () => inProcess('daemonset', '5000') },
  { name: 'kubectl-daemonset-1000', run: () => measureDaemonSet(1_000) },
  { name: 'kubectl-daemonset-5000', run: () => measureDaemonSet(5_000) },
  { name: 'idle-hour-3', run: () => inProcess('idle-hour', '3') },
  { name: 'idle-hour-100', run: () => inProcess('idle-hour', '100') },
];

function inProcess(name: string, ...args: readonly string[]): Promise<Figures> {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(cases, `${name}.js`), ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} ${args.join(' ')} failed: ${stderr}`);
  return Promise.resolve(JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Figures);
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const shown = (value: number): string => value.toFixed(value < 10 ? 2 : 0);

async function main(): Promise<void> {
  if (values.help) {
    process.stdout.write(
      `usage: npm run bench -- [--runs N] [NAME…]\nnames: ${measurements.map(({ name }) => name).join(' ')}\n`,
    );
    return;
  }
  const runs = Number(values.runs);
  await build({
    entryPoints: ['daemonset', 'store', 'idle-hour'].map((name) => join(root, `bench/cases/${name}.ts`)),
    outdir: cases,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['signalbox-source'],
    external: ['lmdb', '@peculiar/x509', 'reflect-metadata', 'undici'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  process.stdout.write(
    `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}; median of ${runs} (least–most)\n`,
  );
  const medians = new Map<string, number>();
  for (const { name, goals, run } of measurements.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  )) {
    const figures: Figures[] = [];
    for (let round = 0; round < runs; round++) figures.push(await run());
    for (const figure of Object.keys(figures[0] ?? {})) {
      const numbers = figures.map((each) => each[figure] ?? Number.NaN);
      medians.set(`${name} ${figure}`, median(numbers));
      const goal = goals?.[figure] === undefined ? '' : `   goal ≤ ${goals[figure]}`;
      process.stdout.write(
        `${`${name}: ${figure}`.padEnd(36)} ${shown(median(numbers)).padStart(8)}  (${shown(Math.min(...numbers))}–${shown(Math.max(...numbers))})${goal}\n`,
      );
    }
  }
  const small = medians.get('daemonset-500 msPerPod');
  const large = medians.get('daemonset-5000 msPerPod');
  if (small !== undefined && large !== undefined)
    process.stdout.write(
      `${'time per pod, 5000 nodes : 500 nodes'.padEnd(36)} ${(large / small).toFixed(2).padStart(8)}   goal ≤ 1.3\n`,
    );
}

await main();
