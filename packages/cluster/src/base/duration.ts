/** Durations as Go's `time.ParseDuration` reads and refuses them: `1h30m`, `-1.5s`, `0`. */

const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const part = /(\d*)(?:\.(\d*))?([^\d.]*)/y;
/** 64 bits of nanoseconds. */
const msMax = 9_223_372_036_854;

/** Milliseconds, or what is wrong in Go's words. */
export function parseGoDuration(text: string): number | string {
  const invalid = `time: invalid duration ${JSON.stringify(text)}`;
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  const rest = text.slice(sign.length);
  if (rest === '0') return 0;
  if (rest === '') return invalid;
  let sumMs = 0;
  for (part.lastIndex = 0; part.lastIndex < rest.length; ) {
    const [, whole = '', fraction = '', unit = ''] = part.exec(rest) ?? [];
    if (whole === '' && fraction === '') return invalid;
    if (unit === '') return `time: missing unit in duration ${JSON.stringify(text)}`;
    const factor = Object.hasOwn(unitsMs, unit) ? unitsMs[unit] : undefined;
    if (factor === undefined) return `time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`;
    sumMs += Number(`${whole || '0'}.${fraction || '0'}`) * factor;
  }
  if (sumMs > msMax) return invalid;
  return sign === '-' ? -sumMs : sumMs;
}
