/** A duration as Prometheus writes it (`1m30s`, `1y2w3d4h5m6s7ms`), in milliseconds; undefined when it is none. */
export function durationMs(text: string): number | undefined {
  if (text === '0') return 0;
  const parts = syntax.exec(text);
  if (parts === null || text === '') return undefined;
  const ms = unitsMs.reduce((sum, unitMs, index) => sum + Number(parts[index + 1] ?? 0) * unitMs, 0);
  return ms <= longestMs ? ms : undefined;
}

/** Go counts durations in nanoseconds, in 63 bits. */
const longestMs = 2 ** 63 / 1e6;

const syntax = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;
const dayMs = 86_400_000;
const unitsMs: readonly number[] = [365 * dayMs, 7 * dayMs, dayMs, 3_600_000, 60_000, 1_000, 1];

/** A duration as Go writes it: fractions, but no days (`1h30m`, `1.5s`, `-2ms`); undefined when it is none. */
export function goDurationMs(text: string): number | undefined {
  const [, sign, parts] = /^([-+]?)(0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text) ?? [];
  if (parts === undefined) return undefined;
  let ms = 0;
  for (const [, number, unit = ''] of parts.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g))
    ms += Number(number) * (goUnitsMs[unit] ?? 0);
  if (ms >= goMsMax) return undefined;
  return sign === '-' ? -ms : ms;
}

const goUnitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
/** Go counts nanoseconds in 63 bits. */
const goMsMax = 2 ** 63 / 1e6;
