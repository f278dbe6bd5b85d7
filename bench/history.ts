/** The figures of the past, one run a line, oldest first: `bench/history.jsonl` is committed. */
import { appendFileSync } from 'node:fs';
import type { Summary } from './figures.ts';
import type { Machine } from './machine.ts';

export interface Entry {
  /** RFC 3339. */
  readonly at: string;
  readonly revision: string;
  readonly machine: Machine;
  readonly runs: number;
  /** By `<case>: <figure>`. */
  readonly figures: ReadonlyMap<string, Summary>;
}

export function appendEntry(file: string, entry: Entry): void {
  appendFileSync(file, formatEntry(entry));
}

/** One line of JSON; numbers with the digits that mean something. */
export function formatEntry({ figures, ...rest }: Entry): string {
  const rounded = [...figures].map(([name, { median, least, most }]) => [
    name,
    { median: rounds(median), least: rounds(least), most: rounds(most) },
  ]);
  return `${JSON.stringify({ ...rest, figures: Object.fromEntries(rounded) })}\n`;
}

function rounds(value: number): number {
  return Number(value.toPrecision(4));
}
