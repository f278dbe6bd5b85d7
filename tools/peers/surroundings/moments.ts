/** What stories ask of the time. */
export { systemClock } from '@signalbox/cluster';

/** Seconds, as the API has them. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** As leases have it. */
export function toMicroTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
