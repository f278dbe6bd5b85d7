import type { Double, GapsReport, TargetGaps } from './gaps.ts';

export interface FormatOptions {
  /** How many lines of targets; undefined: all. */
  readonly most?: number;
}

/** A summary of all, then a line for each target and replica, the longest gap first, each with its double scrapes below it. */
export function formatGaps(report: GapsReport, { most }: FormatOptions = {}): string {
  const { targets, fromMs, toMs } = report;
  const [worst] = targets;
  if (worst === undefined) return 'no samples\n';
  const sum = (of: (row: TargetGaps) => number): number => targets.reduce((total, row) => total + of(row), 0);
  const doubled = targets.filter(({ doubles }) => doubles.length > 0).length;
  const surplus = sum(({ doubles }) => doubles.reduce((total, { scrapes }) => total + scrapes, 0));
  const names = new Set(targets.map(({ target }) => target));
  const replicas = new Set(targets.map(({ replica }) => replica));
  const moved = targets.filter(({ shards }) => shards.length > 1).length;
  const lines = [
    `${names.size} targets, ${replicas.size} replicas, ${sum(({ scrapes }) => scrapes)} scrapes in ${seconds(toMs - fromMs)}, ${sum(({ failed }) => failed)} failed`,
    `longest gap ${seconds(worst.longestGap.ms)} (median of the targets' longest: ${seconds(medianGapMs(targets))})`,
    `double scrapes ${surplus}, of ${doubled} targets; ${moved} of ${targets.length} moved`,
    '',
    ...targets.slice(0, most).flatMap((row) => [formatRow(row), ...row.doubles.map(formatDouble)]),
  ];
  return `${lines.join('\n')}\n`;
}

function formatRow({ target, replica, shards, longestGap, scrapes, failed }: TargetGaps): string {
  const { ms, fromMs, before, after } = longestGap;
  const between = after === undefined ? `shard ${before}, then nobody` : `shard ${before} → ${after}`;
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  const gap = `${seconds(ms)} from ${timeOf(fromMs)} (${between})`;
  return `${gap}  replica ${replica}, shards ${shards.join(' ')}, ${scrapes} scrapes${failures}  ${target}`;
}

function formatDouble({ shards: [one, other], fromMs, toMs, scrapes }: Double): string {
  return `    double: shards ${one} and ${other}, ${scrapes} from ${timeOf(fromMs)} to ${timeOf(toMs)}`;
}

function medianGapMs(targets: readonly TargetGaps[]): number {
  return targets[Math.floor(targets.length / 2)]?.longestGap.ms ?? 0;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
const timeOf = (ms: number): string => new Date(ms).toISOString().slice(11, 23);
