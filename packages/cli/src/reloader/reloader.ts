import { dirname } from 'node:path';
import type { Clock } from '@signalbox/cluster/base';
import { type Changes, createChanges } from './changes.ts';
import { type Files, replaceFile } from './files.ts';
import type { ReloaderOptions } from './flags.ts';
import { type Log, reasonOf } from './log.ts';
import { type Look, look } from './look.ts';
import type { Meters } from './meters.ts';
import { type Action, type Ending, type Memory, next, nothingKnown, plan } from './plan.ts';
import type { Reload } from './reload.ts';
import type { Env } from './render.ts';

/** What the reloader works with. */
export interface ReloaderWorld {
  readonly files: Files;
  readonly env: Env;
  readonly clock: Clock;
  readonly reload: Reload;
  readonly log: Log;
  readonly meters: Meters;
  readonly signal: AbortSignal;
}

export type ReloaderTask = Pick<
  ReloaderOptions,
  'configFile' | 'outputFile' | 'watchedFolders' | 'watchIntervalMs' | 'retryIntervalMs' | 'delayMs' | 'method'
>;

/**
 * Writes the configuration and reloads, then again whenever something changes. Resolves only when it was asked to run once;
 * rejects with why the first turn failed, and with the signal's reason when it aborts.
 */
export async function runReloader(task: ReloaderTask, world: ReloaderWorld): Promise<void> {
  const { configFile, watchedFolders, watchIntervalMs } = task;
  const { log, signal } = world;
  const isOnce = watchIntervalMs === 0;
  const changes = changesOf(task, world);
  if (configFile === '' && watchedFolders.length === 0) {
    log('info', 'nothing to be watched');
    return isOnce ? undefined : changes.settled(Number.POSITIVE_INFINITY, { signal });
  }
  let memory = nothingKnown;
  let before: Look | undefined;
  try {
    for (let isFirst = true; ; isFirst = false) {
      if (!isOnce) changes.arm();
      const ending = await turn(task, {
        ...world,
        changes,
        memory,
        isFirst,
        before,
        looked: (seen) => {
          before = seen;
        },
      });
      if (isOnce) return;
      if (isFirst) tellWatches(task, world);
      const after = next(ending, memory, task);
      memory = after.memory;
      await changes.settled(after.againInMs, { signal });
    }
  } finally {
    changes.close();
  }
}

function changesOf({ configFile, watchedFolders, delayMs }: ReloaderTask, world: ReloaderWorld): Changes {
  const { files, clock, log, meters } = world;
  const changes = createChanges({
    // The folder tells when the file is replaced; the file when it is written to and mounted alone.
    paths: [...(configFile === '' ? [] : [configFile, dirname(configFile)]), ...watchedFolders],
    delayMs,
    files,
    clock,
    heard: () => meters.count('reloader_watch_events_total'),
    failed(path, error) {
      meters.count('reloader_watch_errors_total');
      log('error', 'watch error', { path, err: reasonOf(error) });
    },
  });
  meters.set('reloader_watches', changes.paths);
  return changes;
}

function tellWatches({ configFile, outputFile, watchedFolders }: ReloaderTask, { log }: ReloaderWorld): void {
  log('info', 'started watching config file and directories for changes', {
    cfg: configFile,
    out: outputFile,
    dirs: watchedFolders.join(','),
  });
}

interface Turn extends ReloaderWorld {
  readonly changes: Changes;
  readonly memory: Memory;
  /** Without anything to fall back on: what fails then is for whoever started it to see. */
  readonly isFirst: boolean;
  readonly before: Look | undefined;
  looked(seen: Look): void;
}

async function turn(task: ReloaderTask, world: Turn): Promise<Ending> {
  const { memory, isFirst, log, meters } = world;
  if (!isFirst) meters.count('reloader_config_apply_operations_total');
  try {
    const seen = await look(task, world);
    // What is to be written is not kept.
    world.looked(seen.config === undefined ? seen : { ...seen, config: { ...seen.config, unwritten: undefined } });
    if (seen.config?.output !== undefined)
      meters.set('reloader_config_environment_variable_expansion_errors', seen.config.output.unset.length);
    for (const action of plan(seen, memory, task))
      if (!(await perform(action, { task, world }))) return { type: 'reload failed', sum: seen.sum };
    return { type: 'applied', sum: seen.sum };
  } catch (error) {
    if (isFirst || world.signal.aborted) throw error;
    meters.count('reloader_config_apply_operations_failed_total');
    log('error', 'apply error', { err: reasonOf(error) });
    return { type: 'failed' };
  }
}

/** Whether it went well; what keeps a turn from going on is thrown. */
async function perform(
  action: Action,
  { task, world }: { readonly task: ReloaderTask; readonly world: Turn },
): Promise<boolean> {
  switch (action.type) {
    case 'warn of unset':
      for (const name of new Set(action.names))
        world.log('warn', 'expand environment variable', {
          err: `found reference to unset environment variable "${name}"`,
        });
      return true;
    case 'write':
      await replaceFile(task.outputFile, action.bytes, world.files);
      return true;
    case 'reload':
      return reloaded(task, world);
    default:
      return action satisfies never;
  }
}

async function reloaded({ configFile, outputFile, watchedFolders }: ReloaderTask, world: Turn): Promise<boolean> {
  const { reload, changes, clock, log, meters, signal } = world;
  meters.count('reloader_reloads_total');
  try {
    await reload({ signal, isSuperseded: () => changes.isSettled() });
  } catch (error) {
    if (signal.aborted) throw error;
    meters.count('reloader_reloads_failed_total');
    meters.set('reloader_last_reload_successful', 0);
    log('error', 'Failed to trigger reload. Retrying.', { err: reasonOf(error) });
    return false;
  }
  meters.set('reloader_last_reload_successful', 1);
  meters.set('reloader_last_reload_success_timestamp_seconds', clock.nowMs() / 1_000);
  log('info', 'Reload triggered', {
    cfg_in: configFile,
    cfg_out: outputFile,
    watched_dirs: watchedFolders.join(', '),
  });
  return true;
}
