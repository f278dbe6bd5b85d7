import { createNumberedLines } from './numbered-lines.ts';

/** One stretch of lines that differs. */
export interface Hunk {
  /** Numbers of the first lines, from 1. */
  readonly beforeLine: number;
  readonly afterLine: number;
  /** Each with ` `, `-` or `+` before it. */
  readonly lines: readonly string[];
}

interface Range {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

const contextLines = 3;

/**
 * What differs between two texts, as unified hunks. Lines that stand once on each side are taken for the same and split
 * the texts, so that a configuration of ten thousand jobs, each changed in one line, costs little more than reading it.
 */
export function lineDiff(before: string, after: string): readonly Hunk[] {
  const { numbersOf, lineOf } = createNumberedLines();
  const [a, b] = [numbersOf(before), numbersOf(after)];
  const inWords = (lines: Lines, sign: string): readonly string[] =>
    Array.from(lines, (line) => `${sign}${lineOf(line)}`);
  return grouped(merged(changedRanges(a, b))).map((group) => hunkOf(group, { a, b, inWords }));
}

/** Equal lines have the same number. */
type Lines = Int32Array;

/** In order, none empty on both sides. */
function changedRanges(a: Lines, b: Lines): readonly Range[] {
  const found: Range[] = [];
  const open: Range[] = [{ aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const range = trimmed(next, a, b);
    if (range.aStart === range.aEnd && range.bStart === range.bEnd) continue;
    const parts = split(range, a, b);
    if (parts === undefined) found.push(range);
    // From the back, so that the first is taken first.
    else for (let index = parts.length - 1; index >= 0; index--) open.push(parts[index] ?? range);
  }
  return found;
}

function trimmed(range: Range, a: Lines, b: Lines): Range {
  let { aStart, aEnd, bStart, bEnd } = range;
  while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
    aStart++;
    bStart++;
  }
  while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd--;
    bEnd--;
  }
  return { aStart, aEnd, bStart, bEnd };
}

/** The parts between what both sides have; undefined: they have nothing in common that could be told apart. */
function split(range: Range, a: Lines, b: Lines): readonly Range[] | undefined {
  const { aStart, aEnd, bStart, bEnd } = range;
  if (aStart === aEnd || bStart === bEnd) return undefined;
  const common = anchors(range, a, b);
  const pairs = common.length > 0 ? common : smallCommon(range, a, b);
  if (pairs.length === 0) return undefined;
  const parts: Range[] = [];
  let [fromA, fromB] = [aStart, bStart];
  for (const [inA, inB] of pairs) {
    parts.push({ aStart: fromA, aEnd: inA, bStart: fromB, bEnd: inB });
    [fromA, fromB] = [inA + 1, inB + 1];
  }
  parts.push({ aStart: fromA, aEnd, bStart: fromB, bEnd });
  return parts;
}

type Anchor = readonly [inA: number, inB: number];

/** Lines that stand once on each side, the most of them that are in the same order on both. */
function anchors({ aStart, aEnd, bStart, bEnd }: Range, a: Lines, b: Lines): readonly Anchor[] {
  const once = (lines: Lines, start: number, end: number): Map<number, number> => {
    const places = new Map<number, number>();
    for (let index = start; index < end; index++) {
      const line = lines[index] ?? 0;
      places.set(line, places.has(line) ? -1 : index);
    }
    return places;
  };
  const inB = once(b, bStart, bEnd);
  const found: Anchor[] = [];
  for (const [line, at] of once(a, aStart, aEnd)) {
    const there = inB.get(line) ?? -1;
    if (at >= 0 && there >= 0) found.push([at, there]);
  }
  return rising(found);
}

/** The longest run whose second numbers rise; the first ones do already. */
function rising(all: readonly Anchor[]): readonly Anchor[] {
  const tails: number[] = [];
  const previous: number[] = [];
  all.forEach(([, at], index) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((all[tails[middle] ?? 0]?.[1] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (tails[low - 1] ?? -1);
    tails[low] = index;
  });
  const run: Anchor[] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) run.push(all[index] ?? [0, 0]);
  return run.reverse();
}

const cellsMax = 1_000_000;

/** The longest common run of lines, where the stretch is small; of larger ones everything counts as changed. */
function smallCommon({ aStart, aEnd, bStart, bEnd }: Range, a: Lines, b: Lines): readonly Anchor[] {
  const [rows, columns] = [aEnd - aStart, bEnd - bStart];
  if (rows * columns > cellsMax) return [];
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--)
      lengths[row * width + column] =
        a[aStart + row] === b[bStart + column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const found: Anchor[] = [];
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (a[aStart + row] === b[bStart + column]) found.push([aStart + row++, bStart + column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return found;
}

/** Neighbours that touch are one. */
function merged(ranges: readonly Range[]): readonly Range[] {
  const all: Range[] = [];
  for (const range of ranges) {
    const last = all.at(-1);
    if (last !== undefined && last.aEnd === range.aStart && last.bEnd === range.bStart)
      all[all.length - 1] = { ...last, aEnd: range.aEnd, bEnd: range.bEnd };
    else all.push(range);
  }
  return all;
}

/** Those that share their context stand in one hunk. */
function grouped(ranges: readonly Range[]): readonly (readonly Range[])[] {
  const groups: Range[][] = [];
  for (const range of ranges) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && range.aStart - last.aEnd <= 2 * contextLines) group.push(range);
    else groups.push([range]);
  }
  return groups;
}

interface Texts {
  readonly a: Lines;
  readonly b: Lines;
  inWords(lines: Lines, sign: string): readonly string[];
}

function hunkOf(group: readonly Range[], { a, b, inWords }: Texts): Hunk {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return { beforeLine: 1, afterLine: 1, lines: [] };
  const lead = Math.min(contextLines, first.aStart, first.bStart);
  const same = (start: number, end: number): readonly string[] => inWords(a.subarray(start, end), ' ');
  const lines = [...same(first.aStart - lead, first.aStart)];
  group.forEach(({ aStart, aEnd, bStart, bEnd }, index) => {
    const previous = group[index - 1];
    if (previous !== undefined) lines.push(...same(previous.aEnd, aStart));
    lines.push(...inWords(a.subarray(aStart, aEnd), '-'));
    lines.push(...inWords(b.subarray(bStart, bEnd), '+'));
  });
  lines.push(...same(last.aEnd, last.aEnd + contextLines));
  return { beforeLine: first.aStart - lead + 1, afterLine: first.bStart - lead + 1, lines };
}
