import { fromTimestamp, toTimestamp } from '@signalbox/cluster';

/*
 * What is remembered of a shard that is kept, as text in an annotation of its StatefulSet beside the deadline itself, which is
 * upstream's and says only when: `since=2030-01-01T00:00:00Z until=2030-01-04T00:00:00Z`, and `due=…` once its time is over.
 */

export const keptAnnotation = 'signalbox.dev/kept';
/** The deadline as a label, so that lists can show it and choose by it; labels have no colons. */
export const keptUntilLabel = 'signalbox.dev/kept-until';

export interface KeptRecord {
  /** When the shard was removed. Undefined: somebody else has begun to keep it. */
  readonly sinceMs?: number;
  /** The deadline as we wrote it. Another one in its place was written by people, and has the last word. */
  readonly until?: string;
  /** When its deadline was first seen to be over. */
  readonly dueMs?: number;
}

/** Empty when there is nothing to remember. */
export function formatKept({ sinceMs, until, dueMs }: KeptRecord): string {
  const parts = [
    ...(sinceMs === undefined ? [] : [`since=${toTimestamp(sinceMs)}`]),
    ...(until === undefined ? [] : [`until=${until}`]),
    ...(dueMs === undefined ? [] : [`due=${toTimestamp(dueMs)}`]),
  ];
  return parts.join(' ');
}

/** What cannot be read counts as not remembered: the deadline is then as if people had written it. */
export function parseKept(text: string | undefined): KeptRecord {
  const fields = new Map(
    (text ?? '').split(' ').map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, at), part.slice(at + 1)] as const;
    }),
  );
  const time = (name: string): number | undefined => {
    const atMs = fromTimestamp(fields.get(name) ?? '');
    return Number.isNaN(atMs) ? undefined : atMs;
  };
  const [sinceMs, dueMs, until] = [time('since'), time('due'), fields.get('until')];
  return {
    ...(sinceMs !== undefined && { sinceMs }),
    ...(until !== undefined && { until }),
    ...(dueMs !== undefined && { dueMs }),
  };
}

/** `2030-01-04T00.00.00Z`, `forever`, `unreadable` */
export function labelOf(deadlineMs: number | 'never' | undefined): string {
  if (deadlineMs === undefined) return 'unreadable';
  return deadlineMs === 'never' ? 'forever' : toTimestamp(deadlineMs).replaceAll(':', '.');
}
