import { parseGoDuration } from '@signalbox/cluster';

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

/** A duration as Go writes it: fractions, but no days (`1h30m`, `1.5s`, `-2ms`), in milliseconds; undefined when it is none. */
export function goDurationMs(text: string): number | undefined {
  const found = parseGoDuration(text);
  return typeof found === 'number' ? found : undefined;
}
