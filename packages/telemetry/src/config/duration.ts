/** A duration as Prometheus writes it (`1m30s`, `1y2w3d4h5m6s7ms`), in milliseconds; undefined when it is none. */
export function durationMs(text: string): number | undefined {
  if (text === '0') return 0;
  const parts = syntax.exec(text);
  if (parts === null || text === '') return undefined;
  return unitsMs.reduce((sum, unitMs, index) => sum + Number(parts[index + 1] ?? 0) * unitMs, 0);
}

const syntax = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;
const dayMs = 86_400_000;
const unitsMs: readonly number[] = [365 * dayMs, 7 * dayMs, dayMs, 3_600_000, 60_000, 1_000, 1];
