/** What Linux says of a process. */
import { readFileSync } from 'node:fs';

/** User and system, in the process's life. A tick is a hundredth of a second on every Linux that we know. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** All pages of it that are in memory, also those of files (Node.js itself), which it shares with other processes of the same program. */
export function residentMb(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

/** The most that it ever held. */
export function residentMbMost(pid: number): number {
  return statusMb(pid, 'VmHWM');
}

function statusMb(pid: number, field: string): number {
  const kib = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}
