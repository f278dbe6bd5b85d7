import { fromTimestamp } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';

/** `for 5m`, since a moment that a timestamp names; empty where there is none. */
export function since(timestamp: string | undefined, nowMs: number): string {
  return timestamp === undefined ? '' : ` for ${formatDuration(Math.max(0, nowMs - fromTimestamp(timestamp)))}`;
}
