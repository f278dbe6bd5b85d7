/** Columns that several kinds print, and the short form of ages. */

import type { KubeObject } from '../api/meta.ts';
import { fromTimestamp } from '../base/clock.ts';
import type { Column } from './resource.ts';

/** A column of text; `wide` ones show with `-o wide` only. */
export function column<T extends KubeObject>(
  name: string,
  of: (object: T, nowMs: number) => string,
  { wide = false }: { readonly wide?: boolean } = {},
): Column<T> {
  return { name, type: 'string', of, ...(wide && { priority: 1 }) };
}

export function integerColumn<T extends KubeObject>(name: string, of: (object: T) => number | string): Column<T> {
  return { name, type: 'integer', of };
}

/** A number that upstream calls text in the head of its column. */
export function countColumn<T extends KubeObject>(name: string, of: (object: T) => number): Column<T> {
  return { name, type: 'string', of };
}

export function booleanColumn<T extends KubeObject>(name: string, of: (object: T) => boolean): Column<T> {
  return { name, type: 'boolean', of };
}

export function nameColumn<T extends KubeObject>(): Column<T> {
  return { name: 'Name', type: 'string', format: 'name', of: ({ metadata }) => metadata.name };
}

export function ageColumn<T extends KubeObject>(): Column<T> {
  return { name: 'Age', type: 'string', of: ({ metadata }, nowMs) => ageOf(metadata.creationTimestamp, nowMs) };
}

export function createdAtColumn<T extends KubeObject>(): Column<T> {
  return { name: 'Created At', type: 'date', of: ({ metadata }) => metadata.creationTimestamp };
}

/** How long ago a timestamp was, e.g. `5m30s`; `<unknown>` when there is none. */
export function ageOf(timestamp: string | undefined, nowMs: number): string {
  const thenMs = timestamp === undefined ? Number.NaN : fromTimestamp(timestamp);
  return Number.isNaN(thenMs) ? '<unknown>' : humanDuration(nowMs - thenMs);
}

/** kubectl's rendering of a duration: one unit, or two where the first is small. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 120) return `${Math.max(0, seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return twoUnits({ large: minutes, small: seconds % 60, units: 'ms' });
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return twoUnits({ large: hours, small: minutes % 60, units: 'hm' });
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return twoUnits({ large: days, small: hours % 24, units: 'dh' });
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? twoUnits({ large: years, small: days % 365, units: 'yd' }) : `${years}y`;
}

function twoUnits({
  large,
  small,
  units,
}: {
  readonly large: number;
  readonly small: number;
  readonly units: string;
}): string {
  return small === 0 ? `${large}${units[0]}` : `${large}${units[0]}${small}${units[1]}`;
}

/** The first `max` of a list, and how many are left out: `a,b,c + 2 more...`. */
export function firstOf(values: readonly string[], max: number): string {
  if (values.length === 0) return '<none>';
  const shown = values.slice(0, max).join(',');
  return values.length > max ? `${shown} + ${values.length - max} more...` : shown;
}

/** `a=b,c=d` in the order of keys; `<none>` when there are none. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const text = Object.keys(labels ?? {})
    .sort()
    .map((key) => `${key}=${labels?.[key]}`)
    .join(',');
  return text === '' ? '<none>' : text;
}
