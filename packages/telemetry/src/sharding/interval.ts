import type { KubeObject } from '@signalbox/cluster';
import { durationMs } from '../scrape/duration.ts';

/** Nobody waits for a target that is scraped less often than this: it can be without a sample for a while anyway. */
const intervalMsMax = 600_000;

/** The longest time between two scrapes of a target; `standard` holds where a monitor names none. */
export function longestIntervalMs(standard: string, monitors: readonly KubeObject[]): number {
  const named = monitors.flatMap((monitor) => intervalsOf((monitor as { readonly spec?: Scraped }).spec ?? {}));
  const all = [standard, ...named].map((text) => durationMs(text) ?? 0);
  return Math.min(
    intervalMsMax,
    all.reduce((most, each) => Math.max(most, each), 0),
  );
}

/** Whatever kind of monitor it is. */
interface Scraped {
  readonly endpoints?: readonly Timed[];
  readonly podMetricsEndpoints?: readonly Timed[];
  readonly interval?: string;
  readonly scrapeInterval?: string;
}

interface Timed {
  readonly interval?: string;
}

function intervalsOf({
  endpoints = [],
  podMetricsEndpoints = [],
  interval,
  scrapeInterval,
}: Scraped): readonly string[] {
  const named = [...endpoints, ...podMetricsEndpoints].map((each) => each.interval);
  return [...named, interval, scrapeInterval].filter((text) => text !== undefined);
}
