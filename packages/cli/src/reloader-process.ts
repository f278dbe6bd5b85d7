import { readFileSync } from 'node:fs';
import { systemClock } from '@signalbox/cluster/base';
import { commit, describeVersion, version } from './io/version.ts';
import type { Launcher, ProcessTable } from './launcher.ts';
import { untilLeft } from './orphan.ts';
import { systemFiles } from './reloader/files.ts';
import { processFacts } from './reloader/process-facts.ts';
import { systemProcesses } from './reloader/processes.ts';
import { systemAsk } from './reloader/request.ts';
import { startReloader } from './reloader/start.ts';

/**
 * `signalbox reloader` as a process. There is one beside every agent, so it loads neither the cluster nor the command line:
 * main.ts comes here instead of process.ts.
 */
export async function runReloaderProcess({
  by,
  table,
}: {
  readonly by: Launcher | 'gone' | undefined;
  readonly table: ProcessTable;
}): Promise<void> {
  const startMs = systemClock.nowMs() - process.uptime() * 1_000;
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => ending.abort());
  if (by !== undefined) void endWith(by, table, ending);
  const code = await startReloader(process.argv.slice(3), {
    files: systemFiles,
    env: process.env,
    clock: systemClock,
    ask: systemAsk,
    processes: systemProcesses(process),
    readText: (path) => readFileSync(path, 'utf8'),
    facts: () => processFacts(process, { version, revision: commit ?? '', startMs }),
    version: { short: version, long: describeVersion(process.version) },
    signal: ending.signal,
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
  });
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

/** As with every command that npm has started. */
async function endWith(launcher: Launcher | 'gone', table: ProcessTable, ending: AbortController): Promise<void> {
  const nameOf = async (pid: number): Promise<string> => (await table.factsOf(pid))?.command ?? 'none';
  await untilLeft(launcher, { table, nameOf, clock: systemClock, signal: ending.signal }).then(
    () => ending.abort(),
    () => undefined,
  );
}
