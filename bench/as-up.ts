import { collectWhenMuch, systemClock } from '@signalbox/cluster';
import { cpuMs } from './label-changes.ts';

/** Garbage is collected as by `up` with a large fleet. Returns how to take that back. */
export function collectAsUp(): () => void {
  const used = { cpuMs: () => cpuMs(), usedBytes: () => process.memoryUsage().heapUsed };
  return collectWhenMuch(process.versions.v8, { used, clock: systemClock });
}
