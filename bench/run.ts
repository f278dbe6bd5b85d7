/**
 * The figures of the README, each the median of several runs in fresh processes: `npm run bench [-- --runs 5] [-- NAME…]`.
 * They are no tests: machines are noisy. `--compare REV` measures a revision of the past and this checkout in turns;
 * `--record` appends the figures to the history. `ladder` climbs from 500 nodes to 100,000 and draws `docs/ladder.svg`.
 */
import { join, resolve } from 'node:path';
import { readArguments } from '../tools/arguments.ts';
import { type Figures, formatFigure, moreIsBetter, type Summary, summarize } from './figures.ts';
import { appendEntry } from './history.ts';
import { climb, ladderSizes, parseSizes, writeChart } from './ladder.ts';
import { formatMachine, revisionOf, thisMachine } from './machine.ts';
import { buildCases, caseProgram, type Measurement, measurements } from './measurements.ts';
import { absent, casesOf, checkoutSide, withRevision } from './revision.ts';
import { compare } from './turns.ts';

const root = resolve(import.meta.dirname, '..');
const usage = 'npm run bench -- [--runs N] [--record | --compare REV] [NAME… | ladder [--sizes N,N,…]]';

const { values, positionals } = readArguments(
  {
    allowPositionals: true,
    options: {
      runs: { type: 'string' },
      sizes: { type: 'string' },
      record: { type: 'boolean', default: false },
      compare: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  },
  usage,
);

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const names = measurements.map(({ name }) => name);
  if (values.help) return print(`usage: ${usage}\nnames: ${names.join(' ')} ladder`);
  const isLadder = positionals.includes('ladder');
  // A rung takes minutes.
  const runs = Number(values.runs ?? (isLadder ? '1' : '3'));
  if (!Number.isSafeInteger(runs) || runs < 1)
    return refuse(`--runs ${values.runs}: it takes a whole number from 1 up`);
  if (values.compare !== undefined && values.record)
    return refuse('--record appends figures of one revision: leave out --compare');
  if (isLadder) return climbLadder(runs);
  if (values.sizes !== undefined) return refuse('--sizes says which rungs of the ladder are climbed: name it');
  if (values.compare !== undefined)
    return compareWith(values.compare, { names: positionals.length === 0 ? undefined : positionals, runs });
  const chosen = positionals.length === 0 ? names : positionals;
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown !== undefined) return refuse(`${absent}"${unknown}": there are ${names.join(', ')}`);
  const remove = await buildCases();
  print(`${formatMachine(thisMachine())}; median of ${runs} (least–most)`);
  const figures = await measureAll(
    measurements.filter(({ name }) => chosen.includes(name)),
    runs,
  ).finally(remove);
  if (values.record) record(figures, runs);
}

function record(figures: ReadonlyMap<string, Summary>, runs: number): void {
  const file = join(root, 'bench/history.jsonl');
  appendEntry(file, {
    at: new Date().toISOString(),
    revision: revisionOf(root),
    machine: thisMachine(),
    runs,
    figures,
  });
  print(`recorded in ${file}`);
}

async function climbLadder(runs: number): Promise<void> {
  if (positionals.length > 1 || values.compare !== undefined)
    return refuse('the ladder is climbed alone, by this checkout');
  const sizes = values.sizes === undefined ? ladderSizes : parseSizes(values.sizes);
  if (sizes === undefined) return refuse(`--sizes ${values.sizes}: it takes numbers of nodes, as 500,5000`);
  const remove = await buildCases();
  print(`${formatMachine(thisMachine())}; median of ${runs} (least–most)`);
  const figures = climb({ sizes, runs, program: caseProgram('ladder'), print });
  remove();
  if (values.record) record(figures, runs);
  print(`drawn in ${writeChart(root, figures)}`);
  if (figures.size === 0) process.exitCode = 1;
}

function refuse(reason: string): void {
  process.stderr.write(`error: ${reason}\nusage: ${usage}\n`);
  process.exitCode = 2;
}

/** Prints each case when it is done. */
async function measureAll(chosen: readonly Measurement[], runs: number): Promise<ReadonlyMap<string, Summary>> {
  const summaries = new Map<string, Summary>();
  for (const { name, goals, upstream, run } of chosen) {
    const figures: Figures[] = [];
    for (let round = 0; round < runs; round++) figures.push(await run());
    for (const [figure, summary] of summarize(figures)) {
      summaries.set(`${name}: ${figure}`, summary);
      const goal = goals?.[figure] === undefined ? '' : `   goal ${moreIsBetter(figure) ? '≥' : '≤'} ${goals[figure]}`;
      const floor = upstream?.[figure] === undefined ? '' : `   upstream’s floor ${upstream[figure]}`;
      print(formatFigure(`${name}: ${figure}`, summary) + goal + floor);
    }
  }
  const small = summaries.get('daemonset-500: msPerPod')?.median;
  const large = summaries.get('daemonset-5000: msPerPod')?.median;
  if (small !== undefined && large !== undefined)
    print(
      `${'time per pod, 5000 nodes : 500 nodes'.padEnd(36)} ${(large / small).toFixed(2).padStart(8)}   goal ≤ 1.3`,
    );
  return summaries;
}

interface Chosen {
  /** All that either of the two has, when none is named. */
  readonly names: readonly string[] | undefined;
  readonly runs: number;
}

function compareWith(revision: string, { names, runs }: Chosen): void {
  // The children end by it; the checkout is to be removed before this process does.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  print(`${formatMachine(thisMachine())}; ${runs} runs in turns: median (least–most)`);
  try {
    const allRan = withRevision(root, revision, (folder) => {
      const [before, now] = [checkoutSide(revisionOf(folder), folder), checkoutSide(revisionOf(root), root)];
      const chosen = names ?? [...new Set([...measurements.map(({ name }) => name), ...casesOf(folder)])];
      return compare(chosen, { before, now, runs, print });
    });
    if (!allRan) process.exitCode = 1;
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

await main();
