// Values, time and limits without a cluster: for programs that must stay small. The package's main entry has all of it, too.

export { type Clock, fromStrictTimestamp, fromTimestamp, sleep, systemClock } from './clock.ts';
export { durationMs } from './duration.ts';
export { within } from './limit.ts';
