/** Numbers as runs of neighbours, lowest first: a Job of 100,000 indexes is mostly one run. */
export type Indexes = readonly Run[];

interface Run {
  readonly first: number;
  readonly last: number;
}

export const noIndexes: Indexes = Object.freeze([]);

/** Reads `1,3-5,7`, what is not below `end` left out. What cannot be read ends it: the server writes these texts. */
export function parseIndexes(text: string | undefined, end: number): Indexes {
  if (text === undefined || text === '') return noIndexes;
  const runs: Run[] = [];
  for (const part of text.split(',')) {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (from === undefined) break;
    const first = Number(from);
    if (first >= end) break;
    append(runs, { first, last: Math.min(Number(to), end - 1) });
  }
  return runs;
}

/** What is wrong with a text of somebody, in upstream's words; undefined when nothing is. */
export function indexesFault(text: string, end: number): string | undefined {
  if (text === '') return undefined;
  let before = -1;
  for (const part of text.split(',')) {
    const limits = part.split('-');
    if (limits.length > 2)
      return `the fragment "${part}" violates the requirement that an index interval can have at most two parts separated by '-'`;
    const numbers = limits.map(Number);
    const strange = limits.find((limit) => !/^\d+$/.test(limit));
    if (strange !== undefined) return `cannot convert string to integer for index: "${strange}"`;
    const large = limits.find((_, index) => (numbers[index] ?? 0) >= end);
    if (large !== undefined) return `too large index: "${large}"`;
    const [first = 0, last = first] = numbers;
    if (first <= before) return `non-increasing order, previous: ${before}, current: ${first}`;
    if (limits.length > 1 && last <= first) return `non-increasing order, previous: ${first}, current: ${last}`;
    before = last;
  }
  return undefined;
}

/** `1,3-5,7`; two neighbours are `1,2`. */
export function formatIndexes(indexes: Indexes): string {
  return indexes
    .map(({ first, last }) => {
      if (first === last) return String(first);
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
    })
    .join(',');
}

export function countIndexes(indexes: Indexes): number {
  return indexes.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

export function hasIndex(indexes: Indexes, index: number): boolean {
  let low = 0;
  let high = indexes.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { first, last } = indexes[middle] as Run;
    if (index < first) high = middle - 1;
    else if (index > last) low = middle + 1;
    else return true;
  }
  return false;
}

export function withIndexes(indexes: Indexes, more: Iterable<number>): Indexes {
  const added = [...more].map((index) => ({ first: index, last: index }));
  if (added.length === 0) return indexes;
  const runs: Run[] = [];
  for (const run of [...indexes, ...added].sort((a, b) => a.first - b.first)) append(runs, run);
  return runs;
}

/** How many numbers both have. */
export function countCommon(a: Indexes, b: Indexes): number {
  let common = 0;
  for (const one of a)
    for (const other of b) common += Math.max(0, Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1);
  return common;
}

function append(runs: Run[], run: Run): void {
  const before = runs.at(-1);
  if (before !== undefined && run.first <= before.last + 1)
    runs[runs.length - 1] = { first: before.first, last: Math.max(before.last, run.last) };
  else runs.push(run);
}
