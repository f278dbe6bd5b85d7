const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** `90s`, `2m`, `1h30m` in milliseconds; undefined when the text is no duration. A bare number counts seconds. */
export function parseDuration(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let sumMs = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    sumMs += Number(amount) * (units[unit] ?? 0);
  return Math.round(sumMs);
}

/** `2m`, `1m30s`, `800ms`: the shortest way to say it. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)}ms`;
  const seconds = durationMs / 1_000;
  if (seconds < 60) return `${Number(seconds.toFixed(1))}s`;
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return ['h', 'm', 's'].map((unit, index) => (parts[index] === 0 ? '' : `${parts[index]}${unit}`)).join('');
}
