/** Two revisions measured in turns, so that whatever else the machine does meets both alike. */
import { differenceOf, type Figures, nameWidth, type Summary, shown, summarize } from './figures.ts';

/** A built checkout that can run a case of its own. */
export interface Side {
  readonly name: string;
  measure(name: string): Measured;
}

export type Measured =
  | { readonly is: 'measured'; readonly figures: Figures }
  /** That revision has no such case. */
  | { readonly is: 'absent' }
  | { readonly is: 'failed'; readonly reason: string };

export interface Turns {
  readonly before: Side;
  readonly now: Side;
  readonly runs: number;
  print(line: string): void;
}

/** From here on a figure is marked. */
const worsePercentMax = 5;

/** Prints the figures of each case; false when a case failed. What only one revision has is named and passed over. */
export function compare(names: readonly string[], turns: Turns): boolean {
  const { before, now, print } = turns;
  print(`${''.padEnd(nameWidth)} ${before.name.padEnd(columnWidth)} ${now.name.padEnd(columnWidth)} difference`);
  let allRan = true;
  for (const name of names) {
    const [old, own] = inTurns(name, turns);
    for (const [side, measured] of [[before, old] as const, [now, own] as const]) {
      if (measured.is === 'failed') print(`${name}: failed in ${side.name}: ${measured.reason}`);
      else if (measured.is === 'absent') print(`${name}: there is no such case in ${side.name}`);
    }
    allRan &&= old.is !== 'failed' && own.is !== 'failed';
    if (old.is === 'measured' && own.is === 'measured') printCase(name, { old: old.figures, own: own.figures, turns });
  }
  return allRan;
}

type Gathered =
  | Exclude<Measured, { readonly is: 'measured' }>
  | { readonly is: 'measured'; readonly figures: readonly Figures[] };

/** Who goes first changes with every round: the second finds warmer files, and a machine that slows down hits both. */
function inTurns(name: string, { before, now, runs }: Turns): readonly [Gathered, Gathered] {
  const figures: { readonly old: Figures[]; readonly own: Figures[] } = { old: [], own: [] };
  for (let round = 0; round < runs; round++) {
    const [first, second] = round % 2 === 0 ? [before, now] : [now, before];
    const one = first.measure(name);
    const other = second.measure(name);
    const [old, own] = first === before ? [one, other] : [other, one];
    if (old.is !== 'measured' || own.is !== 'measured') return [gathered(old, figures.old), gathered(own, figures.own)];
    figures.old.push(old.figures);
    figures.own.push(own.figures);
  }
  return [
    { is: 'measured', figures: figures.old },
    { is: 'measured', figures: figures.own },
  ];
}

function gathered(measured: Measured, earlier: readonly Figures[]): Gathered {
  return measured.is === 'measured' ? { is: 'measured', figures: [...earlier, measured.figures] } : measured;
}

interface Case {
  readonly old: readonly Figures[];
  readonly own: readonly Figures[];
  readonly turns: Turns;
}

function printCase(name: string, { old, own, turns: { before, now, print } }: Case): void {
  const [olds, owns] = [summarize(old), summarize(own)];
  for (const [figure, summary] of owns) {
    const earlier = olds.get(figure);
    if (earlier === undefined) print(`${name}: there is no figure "${figure}" in ${before.name}`);
    else print(comparison(`${name}: ${figure}`, { before: earlier, now: summary }));
  }
  for (const figure of olds.keys())
    if (!owns.has(figure)) print(`${name}: there is no figure "${figure}" in ${now.name}`);
}

function comparison(name: string, { before, now }: { readonly before: Summary; readonly now: Summary }): string {
  const { changePercent, worsePercent } = differenceOf(name, { before: before.median, now: now.median });
  const sign = changePercent > 0 ? '+' : '';
  const mark = worsePercent > worsePercentMax ? '   worse' : '';
  return `${name.padEnd(nameWidth)} ${cell(before)} ${cell(now)} ${`${sign}${changePercent.toFixed(1)} %`.padStart(9)}${mark}`;
}

const columnWidth = 30;

function cell({ median, least, most }: Summary): string {
  return `${shown(median).padStart(8)}  (${shown(least)}–${shown(most)})`.padEnd(columnWidth);
}
