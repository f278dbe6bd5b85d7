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

/** Milliseconds; undefined when the text is no duration, or one that goes back in time. */
export function durationMs(text: string): number | undefined {
  const found = parseGoDuration(text);
  return typeof found === 'number' && found >= 0 ? found : undefined;
}

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

/** `2m`, `1m30s`, `800ms`: the shortest way to say it. Above a minute in whole seconds. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)}ms`;
  const seconds = durationMs / 1_000;
  if (seconds < 60) return `${Number(seconds.toFixed(1))}s`;
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return ['h', 'm', 's'].map((unit, index) => (parts[index] === 0 ? '' : `${parts[index]}${unit}`)).join('');
}
