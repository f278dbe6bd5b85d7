/**
 * How time and memory grow with the fleet: the same life of a DaemonSet over ever more nodes, one process for each size, drawn
 * into `docs/ladder.svg`. Sizes that were not climbed this time are drawn as they were recorded last.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawChart, type Point, type Series } from './chart.ts';
import { type Figures, formatFigure, type Summary, summarize } from './figures.ts';
import { formatMachine, thisMachine } from './machine.ts';
import { upFlags } from './outside.ts';

export const ladderSizes: readonly number[] = [500, 5_000, 15_000, 50_000, 100_000];

/** A heap as large as this leaves room for the rest within 8 GB. */
const heapMbMax = 7_000;
/** Up to here Node.js's own limit suffices, and memory is what a user would see. */
const plainSizeMax = 30_000;
const restSeconds = 20;

export interface Climb {
  readonly sizes: readonly number[];
  readonly runs: number;
  /** The bundled case. */
  readonly program: string;
  print(line: string): void;
}

/** Prints each rung when it is done; a rung that fails ends the climb, and what was reached counts. */
export function climb({ sizes, runs, program, print }: Climb): ReadonlyMap<string, Summary> {
  const summaries = new Map<string, Summary>();
  for (const size of sizes) {
    const figures: Figures[] = [];
    for (let round = 0; round < runs; round++) {
      const measured = rung(size, program);
      if (measured === undefined) {
        print(`${caseOf(size)} failed`);
        return summaries;
      }
      figures.push(measured);
    }
    for (const [figure, summary] of summarize(figures)) {
      const name = `${caseOf(size)}: ${figure}`;
      summaries.set(name, summary);
      print(formatFigure(name, summary));
    }
  }
  return summaries;
}

function rung(size: number, program: string): Figures | undefined {
  const heap = size > plainSizeMax ? [`--max-old-space-size=${heapMbMax}`] : [];
  const { stdout, status } = spawnSync(
    process.execPath,
    [...upFlags(), ...heap, program, String(size), String(restSeconds)],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return status === 0 ? (JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Figures) : undefined;
}

function caseOf(size: number): string {
  return `ladder-${size}`;
}

/** `500,5000`; undefined when that is no list of sizes. */
export function parseSizes(text: string): readonly number[] | undefined {
  const sizes = text.split(',').map(Number);
  return sizes.every((size) => Number.isSafeInteger(size) && size > 0) ? sizes : undefined;
}

/** The medians, by case and figure. */
export type Medians = ReadonlyMap<string, number>;

/** Of the latest run in which each was recorded. */
export function recordedMedians(history: string): Medians {
  const medians = new Map<string, number>();
  for (const line of history.split('\n')) {
    if (line === '') continue;
    const { figures } = JSON.parse(line) as { readonly figures: Readonly<Record<string, Summary>> };
    for (const [name, { median }] of Object.entries(figures)) if (name.startsWith('ladder-')) medians.set(name, median);
  }
  return medians;
}

export function drawLadder(medians: Medians, note: string): string {
  return drawChart({
    title: 'One process, from 500 nodes to 100,000',
    xTitle: 'nodes, with one daemon pod each',
    note,
    panels: [
      {
        title: 'Seconds',
        series: [
          seriesOf(medians, { figure: 'create s', name: 'all Running' }),
          seriesOf(medians, { figure: 'update s', name: 'update by 10 %' }),
          { ...seriesOf(medians, { figure: 'create CPU s', name: 'CPU' }), isDashed: true },
        ],
      },
      {
        title: 'Memory, and CPU at rest',
        series: [
          seriesOf(medians, { figure: 'most MB', name: 'MB at most' }),
          seriesOf(medians, { figure: 'idle MB', name: 'MB at rest' }),
          seriesOf(medians, { figure: 'idle CPU %', name: '% of a core' }),
        ],
      },
    ],
  });
}

function seriesOf(medians: Medians, { figure, name }: { readonly figure: string; readonly name: string }): Series {
  const points: Point[] = [];
  for (const [key, y] of medians) {
    const [, size, found] = /^ladder-(\d+): (.+)$/.exec(key) ?? [];
    if (found === figure && y > 0) points.push({ x: Number(size), y });
  }
  return { name, points };
}

/** Draws what was measured now, and of other sizes what was recorded. */
export function writeChart(root: string, now: ReadonlyMap<string, Summary>): string {
  const recorded = recordedMedians(readFileSync(join(root, 'bench/history.jsonl'), 'utf8'));
  const medians = new Map([...recorded, ...[...now].map(([name, { median }]) => [name, median] as const)]);
  const file = join(root, 'docs/ladder.svg');
  writeFileSync(file, drawLadder(medians, formatMachine(thisMachine())));
  return file;
}
