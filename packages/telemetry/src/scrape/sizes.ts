import type { Place } from './checks.ts';

/** Numbers and sizes by which a scrape is limited. One that is not understood stops every reload. */

export function checkCount(limit: number | undefined, { leaf, at }: Place): void {
  if (limit !== undefined && limit < 0) leaf.reject('InvalidField', at, 'must not be negative');
}

export function checkSize(size: string | undefined, { leaf, at }: Place): void {
  if (size && sizeBytes(size) === undefined) leaf.reject('InvalidField', at, `"${size}" is no size such as 10MB`);
}

/** `10MB` or `1.5GiB`, counted in steps of 1024 with or without the `i`, as Prometheus does. */
export function sizeBytes(text: string): number | undefined {
  if (text === '0') return 0;
  const [, amount, prefix = ''] = /^(\d+(?:\.\d*)?|\.\d+)([KMGTPE]?)(?:i?B)$/.exec(text) ?? [];
  const bytes = Number(amount ?? Number.NaN) * 1024 ** ' KMGTPE'.indexOf(prefix || ' ');
  return Number.isFinite(bytes) && bytes < 2 ** 63 ? Math.floor(bytes) : undefined;
}
