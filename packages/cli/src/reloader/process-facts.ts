import { readdir } from 'node:fs/promises';
import type { Sample } from './meters.ts';

export interface Build {
  readonly version: string;
  readonly revision: string;
}

/** What every program with metrics tells of itself, under the usual names. */
export async function processFacts(
  process: NodeJS.Process,
  { version, revision, startMs }: Build & { readonly startMs: number },
): Promise<readonly Sample[]> {
  const { user, system } = process.cpuUsage();
  const open = await readdir('/proc/self/fd').catch(() => undefined);
  return [
    {
      name: 'prometheus_config_reloader_build_info',
      type: 'gauge',
      help: 'What it was built from; always 1.',
      labels: { goos: process.platform, goarch: process.arch, revision, version },
      value: 1,
    },
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'CPU time of the process.',
      value: (user + system) / 1e6,
    },
    {
      name: 'process_resident_memory_bytes',
      type: 'gauge',
      help: 'Memory of the process.',
      value: process.memoryUsage.rss(),
    },
    {
      name: 'process_start_time_seconds',
      type: 'gauge',
      help: 'When the process started.',
      value: startMs / 1_000,
    },
    ...(open === undefined
      ? []
      : [{ name: 'process_open_fds', type: 'gauge', help: 'Open files.', value: open.length } as const]),
  ];
}
