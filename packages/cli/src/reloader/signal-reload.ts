import { type Clock, fromTimestamp, sleep, within } from '@signalbox/cluster/base';
import type { Log } from './log.ts';
import type { Processes } from './processes.ts';
import type { Reload, Reloading } from './reload.ts';
import type { Ask } from './request.ts';

export interface SignalReload {
  readonly processName: string;
  readonly runtimeInfoUrl: URL;
  /** For one answer. */
  readonly timeoutMs: number;
  /** For the whole of it. */
  readonly reloadMsMax: number;
  readonly processes: Processes;
  readonly ask: Ask;
  readonly clock: Clock;
  readonly log: Log;
}

const lookEveryMs = 1_000;

/** Sends SIGHUP, and asks the process what came of it: a signal has no answer. */
export function signalReload(options: SignalReload): Reload {
  const { clock, reloadMsMax } = options;
  return ({ signal, isSuperseded }) =>
    within(reloadMsMax, {
      clock,
      signal,
      late: (ms) => new Error(`the process has not said within ${ms / 1_000} s that it has reloaded`),
      work: (limited) => reloadOnce(options, { signal: limited, isSuperseded }),
    });
}

async function reloadOnce(options: SignalReload, { signal, isSuperseded }: Reloading): Promise<void> {
  const { processName, processes, clock, log } = options;
  const before = await statusOf(options, signal).catch((cause: unknown) => {
    throw new Error(`cannot tell its configuration before the reload: ${reason(cause)}`, { cause });
  });
  // It counts in whole seconds: a reload in the same one as the last could not be told from it.
  await sleep(clock, Math.max(0, before.loadedMs + 1_000 - clock.nowMs()), { signal });
  const pid = await processes.find(processName);
  if (pid === undefined) throw new Error(`failed to find process matching "${processName}"`);
  processes.hangUp(pid);
  log('debug', 'sent SIGHUP', { pid });
  for (;;) {
    const now = await statusOf(options, signal);
    if (now.isGood && now.loadedMs > before.loadedMs) return;
    if (before.isGood && !now.isGood) throw new Error('configuration reload has failed');
    // What it refused before it may refuse again, which does not show; there is something better to try.
    if (!now.isGood && isSuperseded()) throw new Error('the files have changed again before it took them');
    await sleep(clock, lookEveryMs, { signal });
  }
}

interface ConfigStatus {
  readonly isGood: boolean;
  readonly loadedMs: number;
}

async function statusOf(
  { runtimeInfoUrl, timeoutMs, ask, clock }: SignalReload,
  signal: AbortSignal,
): Promise<ConfigStatus> {
  const { status, body } = await within(timeoutMs, {
    clock,
    signal,
    late: (ms) => new Error(`no answer within ${ms / 1_000} s`),
    work: (limited) => ask(runtimeInfoUrl, { method: 'GET', signal: limited }),
  });
  if (status < 200 || status > 299) throw new Error(`invalid status code: ${status}`);
  const answer = JSON.parse(body) as {
    readonly status?: unknown;
    readonly data?: { readonly reloadConfigSuccess?: unknown; readonly lastConfigTime?: unknown };
  };
  if (answer.status !== 'success') throw new Error(`unexpected status: ${String(answer.status)}`);
  const { reloadConfigSuccess, lastConfigTime } = answer.data ?? {};
  const loadedMs = fromTimestamp(String(lastConfigTime));
  // Before its first configuration it names the year 1.
  return { isGood: reloadConfigSuccess === true, loadedMs: Number.isNaN(loadedMs) ? 0 : loadedMs };
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
