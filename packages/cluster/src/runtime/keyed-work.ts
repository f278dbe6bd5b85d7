import type { Key } from '../api/meta.ts';
import type { User } from '../api/operation.ts';
import { isStatusError } from '../api/status.ts';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import type { Platform } from './component.ts';
import { createEventRecorder } from './events.ts';
import { createExecutor, type ExecutorRun } from './executor.ts';
import { watchRuns } from './observer.ts';
import type { Action } from './plan.ts';
import { caughtUp } from './runner.ts';
import { createWorkqueue } from './workqueue.ts';

/**
 * The loop of those parts of the plane that a `Controller` cannot describe: what they follow is not known beforehand, or
 * they have to ask the API before they decide. Keys in, one run per key at a time, retries with back-off. Deciding still
 * belongs into pure functions, and only `perform` writes.
 */
export interface KeyedWork {
  readonly client: Client;
  add(key: Key): void;
  addAfter(key: Key, delayMs: number): void;
  /** Runs until the signal aborts. Keys may be added before. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

export interface KeyedWorkOptions {
  /** The source of events and the component in reports: `generic-garbage-collector`. */
  readonly name: string;
  /** Whose events they are, where upstream calls it otherwise. */
  readonly source?: string;
  readonly user: User;
  readonly platform: Platform;
  /** Keys that may run at the same time. */
  readonly workers: number;
  /** Resolves with the delay after which to look again, if any. Rejects to be retried. */
  handle(key: Key, context: RunContext): Promise<number | undefined>;
}

export interface RunContext {
  readonly signal: AbortSignal;
  readonly client: Client;
  /**
   * Does all of them, many at once and in no particular order (`inOrder` keeps one inside), and waits until the caches
   * show it. Rejects with the first refusal after everything was tried. Not found and conflict are refusals too.
   */
  perform(actions: readonly Action[]): Promise<void>;
}

/** In process more at once gains nothing; a foreign API server has its own ideas about fairness. */
const atOnceMax = 64;

export function createKeyedWork(options: KeyedWorkOptions): KeyedWork {
  const { name, source = name, user, platform, workers } = options;
  const { clock, transport, observer } = platform;
  const random = platform.random.fork(name);
  const client = createClient(transport, user);
  const events = createEventRecorder({ client, clock, random: random.fork('events'), source });
  const executor = createExecutor({ client, events });
  const queue = createWorkqueue({ clock, random: random.fork('queue'), figure: platform.figures?.queue(name) });
  const watch = observer && watchRuns({ component: name, clock, observer });

  const performAll = async (actions: readonly Action[], { signal, acts }: ExecutorRun): Promise<void> => {
    const refusals: Error[] = [];
    for (let start = 0; start < actions.length; start += atOnceMax) {
      const batch = actions.slice(start, start + atOnceMax);
      const done = await Promise.all(batch.map((action) => executor.run([action], { signal, acts })));
      refusals.push(...done.flatMap(({ failures }) => failures));
      const written = done.flatMap((performed) => performed.written);
      await caughtUp(written, platform.informers, signal);
    }
    const refusal = refusals.find((error) => !isOutrun(error)) ?? refusals[0];
    if (refusal !== undefined) throw refusal;
  };

  const loop = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const key = await queue.take({ signal }).catch(() => undefined);
      if (key === undefined) return;
      const run = watch?.begins(key);
      const perform = (actions: readonly Action[]): Promise<void> => performAll(actions, { signal, acts: run?.acts });
      try {
        queue.done(key, { againInMs: await options.handle(key, { signal, client, perform }) });
        run?.ended('succeeded');
      } catch (error) {
        if (signal.aborted) return;
        run?.ended(isOutrun(error) ? 'outrun' : 'failed');
        queue.retry(key);
        if (!isOutrun(error)) platform.report({ component: name, message: `cannot finish ${key}`, error });
      }
    }
  };

  return {
    client,
    add(key) {
      watch?.wakes(key, { by: 'word' });
      queue.add(key);
    },
    addAfter: queue.addAfter,
    async run({ signal }) {
      const stopWorking = observer?.works(name, queue);
      const loops = Array.from({ length: workers }, () => loop(signal));
      await Promise.all([events.run({ signal }), ...loops]).finally(() => {
        stopWorking?.();
        queue.stop();
      });
    },
  };
}

/** The object changed or went meanwhile: the next run sees more. */
function isOutrun(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return isStatusError(cause, 'Conflict') || isStatusError(cause, 'NotFound');
}
