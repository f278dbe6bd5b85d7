export interface Scaling {
  /** What a percentage is of. */
  readonly of: number;
  readonly round: 'up' | 'down';
}

/**
 * An `IntOrString` of the API as a number: `2` or `"25%"` of a total. The door has checked the form; what is missing or
 * malformed all the same counts as `0`, the careful choice for every budget.
 */
export function scaledValue(value: number | string | undefined, { of, round }: Scaling): number {
  if (value === undefined) return 0;
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  if (percent === undefined) return 0;
  // In whole hundredths: 0.29 × 100 would be 28.999….
  const hundredths = Number(percent) * of;
  return round === 'up' ? Math.ceil(hundredths / 100) : Math.floor(hundredths / 100);
}
