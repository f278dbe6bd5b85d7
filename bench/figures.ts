/** Figures as numbers, and the lines in which a run prints them: `--compare` reads those of a revision that knows nothing of it. */

/** What one run of a case measured, by name: `{ ms: 812, rssMb: 155 }`. */
export type Figures = Readonly<Record<string, number>>;

export interface Summary {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Of one case in several runs: a summary for each of its figures. */
export function summarize(runs: readonly Figures[]): ReadonlyMap<string, Summary> {
  return new Map(
    Object.keys(runs[0] ?? {}).map((figure) => [figure, summaryOf(runs.map((run) => run[figure] ?? Number.NaN))]),
  );
}

export function summaryOf(numbers: readonly number[]): Summary {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const [upper, lower] = [Math.floor(sorted.length / 2), Math.floor((sorted.length - 1) / 2)];
  return { median: (at(lower) + at(upper)) / 2, least: at(0), most: at(sorted.length - 1) };
}

/** `start: idle MB                        119  (118–121)` */
export function formatFigure(name: string, { median, least, most }: Summary): string {
  return `${name.padEnd(nameWidth)} ${shown(median).padStart(8)}  (${shown(least)}–${shown(most)})`;
}

export const nameWidth = 36;

/** Three digits at least: rounding must not look like a difference. */
export function shown(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

/** The figures of one case in what a run printed; empty when it printed none of that case. */
export function parseFigures(text: string, name: string): Figures {
  const figures: Record<string, number> = {};
  for (const line of text.split('\n')) {
    if (!line.startsWith(`${name}: `)) continue;
    const [, figure, value] = /^(.+?) +([\d.]+) +\(/.exec(line.slice(name.length + 2)) ?? [];
    if (figure !== undefined) figures[figure] = Number(value);
  }
  return figures;
}

/** A figure of two revisions: `worsePercent` is negative for what has become better. */
export interface Difference {
  readonly changePercent: number;
  readonly worsePercent: number;
}

export function differenceOf(name: string, medians: { readonly before: number; readonly now: number }): Difference {
  const changePercent = medians.before === 0 ? 0 : (medians.now / medians.before - 1) * 100;
  return { changePercent, worsePercent: moreIsBetter(name) ? -changePercent : changePercent };
}

/** Rates; everything else is a time or a size. */
export function moreIsBetter(name: string): boolean {
  return name.endsWith('/s');
}
