import { formatQuantity, parseQuantity } from '../../../api/quantity.ts';

/** Amounts by name, to be added up exactly: what an object takes, and what a quota has left. */
export type Measures = ReadonlyMap<string, Measure>;

export interface Measure {
  readonly nano: bigint;
  /** A quantity whose way of writing the sum takes. */
  readonly like: string;
}

export type Quantities = Readonly<Record<string, string>>;

export const noMeasures: Measures = new Map();

const unit = 1_000_000_000n;

export function measuresOf(quantities: Quantities | undefined): Measures {
  if (quantities === undefined) return noMeasures;
  return new Map(Object.entries(quantities).map(([name, text]) => [name, measureOf(text)]));
}

export function measureOf(text: string): Measure {
  return { nano: parseQuantity(text) ?? 0n, like: text };
}

export function countMeasure(count: number): Measure {
  return { nano: BigInt(count) * unit, like: '' };
}

export function added(a: Measures, b: Measures): Measures {
  if (b.size === 0) return a;
  const sums = new Map(a);
  for (const [name, { nano, like }] of b) {
    const before = sums.get(name);
    // As upstream: the sum is written as what was there before, unless that was nothing.
    sums.set(name, {
      nano: nano + (before?.nano ?? 0n),
      like: before === undefined || before.nano === 0n ? like : before.like,
    });
  }
  return sums;
}

/** What `a` is more than `b`, by name; where it is less, nothing. */
export function lessened(a: Measures, b: Measures): Measures {
  const rest = new Map<string, Measure>();
  for (const [name, { nano, like }] of a) {
    const left = nano - (b.get(name)?.nano ?? 0n);
    rest.set(name, { nano: left > 0n ? left : 0n, like });
  }
  return rest;
}

export function only(measures: Measures, isWanted: (name: string) => boolean): Measures {
  return new Map([...measures].filter(([name]) => isWanted(name)));
}

export function withoutZeros(measures: Measures): Measures {
  return new Map([...measures].filter(([, { nano }]) => nano !== 0n));
}

export function sameMeasures(a: Measures, b: Measures): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [name, { nano }] of a) if (b.get(name)?.nano !== nano) return false;
  return true;
}

export function toQuantities(measures: Measures): Quantities {
  const sorted = [...measures].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, { nano, like }]) => [name, formatQuantity(nano, like)]));
}

/** `limits.cpu=2,pods=1`: as messages of refusals have it. */
export function listed(measures: Measures): string {
  return Object.entries(toQuantities(measures))
    .map(([name, amount]) => `${name}=${amount}`)
    .join(',');
}
