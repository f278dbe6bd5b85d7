import { type Clock, sleep } from '@signalbox/cluster/base';
import type { Files } from './files.ts';

/** Hears of files that change. It may miss some (a folder deeper, another machine's disk): who waits looks now and then as well. */
export interface Changes {
  /** How many paths are watched. */
  readonly paths: number;
  /** Watches anew and forgets what it has heard. Whoever looks at the files after that misses nothing. */
  arm(): void;
  /** Whether something has changed since, and nothing more for `delayMs`. */
  isSettled(): boolean;
  /** Resolves when that is so, and at the latest after `withinMs`. */
  settled(withinMs: number, options: { readonly signal: AbortSignal }): Promise<void>;
  close(): void;
}

export interface ChangesOptions {
  readonly paths: readonly string[];
  readonly delayMs: number;
  readonly files: Files;
  readonly clock: Clock;
  heard(): void;
  failed(path: string, error: unknown): void;
}

export function createChanges(options: ChangesOptions): Changes {
  const { delayMs, files, clock } = options;
  const paths = [...new Set(options.paths)];
  let stops: readonly (() => void)[] = [];
  let lastMs: number | undefined;
  let wake: () => void = () => undefined;

  const watch = (path: string): (() => void) => {
    try {
      return files.watch(path, (error) => {
        if (error !== undefined) {
          options.failed(path, error);
          return;
        }
        options.heard();
        lastMs = clock.nowMs();
        wake();
      });
    } catch (error) {
      options.failed(path, error);
      return () => undefined;
    }
  };
  const close = (): void => {
    for (const stop of stops) stop();
    stops = [];
  };
  return {
    paths: paths.length,
    arm() {
      // A watch belongs to the folder or file that was there when it began, not to what has taken its name since.
      close();
      lastMs = undefined;
      stops = paths.map(watch);
    },
    isSettled: () => lastMs !== undefined && clock.nowMs() >= lastMs + delayMs,
    async settled(withinMs, { signal }) {
      const latestMs = clock.nowMs() + withinMs;
      for (;;) {
        const dueMs = lastMs === undefined ? latestMs : Math.min(latestMs, lastMs + delayMs);
        if (clock.nowMs() >= dueMs) return;
        await sleepOrWake(dueMs - clock.nowMs(), signal);
      }
    },
    close,
  };

  async function sleepOrWake(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    wake = () => woken.abort();
    try {
      await sleep(clock, ms, { signal: AbortSignal.any([signal, woken.signal]) });
    } catch (error) {
      if (signal.aborted) throw error;
    }
  }
}
