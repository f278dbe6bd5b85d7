/** From the least to the most. As upstream counts in 64 bits, there is a most that nothing exceeds. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const most: number = 2 ** 64;
export const unknownSize: Range = { min: 0, max: most };
export const zero: Range = { min: 0, max: 0 };
export const one: Range = { min: 1, max: 1 };

export function exactly(amount: number): Range {
  return { min: amount, max: amount };
}

export function plus(a: Range, b: Range): Range {
  return { min: Math.min(most, a.min + b.min), max: Math.min(most, a.max + b.max) };
}

export function times(a: Range, b: Range): Range {
  return { min: Math.min(most, a.min * b.min), max: Math.min(most, a.max * b.max) };
}

/** Rounded up, so that something is never free. */
export function scaled({ min, max }: Range, factor: number): Range {
  return { min: Math.min(most, Math.ceil(min * factor)), max: Math.min(most, Math.ceil(max * factor)) };
}

export function either(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

export function sum(ranges: readonly Range[]): Range {
  return ranges.reduce(plus, zero);
}
