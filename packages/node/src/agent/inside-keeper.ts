/** Keeps a process inside running, and the driver informed of it. */
import { type Clock, type Random, sleep } from '@signalbox/cluster';
import type { ProcessDriver } from '../driver/process-driver.ts';
import type { StartedInside } from '../inside/start-inside.ts';

export interface InsideKeeper {
  /** The one of now. */
  inside(): StartedInside['inside'];
  /** Rejects when it cannot be started again and again. */
  run(waiting: { readonly signal: AbortSignal }): Promise<void>;
}

export interface InsideKeeperOptions {
  readonly first: StartedInside;
  readonly start: () => Promise<StartedInside>;
  readonly driver: ProcessDriver;
  readonly clock: Clock;
  readonly random: Random;
  /** There is another one, or the same after a pause. */
  readonly isThere: () => void;
  readonly report: (message: string, error?: unknown) => void;
}

const retryMs = 200;
/** So often in a row it may fail to start: then the machine has changed under us. */
const failuresMax = 10;
/** Whoever is not named by then has no object any more. */
const unclaimedAfterMs = 5_000;

export function createInsideKeeper(options: InsideKeeperOptions): InsideKeeper {
  const { driver, clock, report, isThere, start } = options;
  let started = options.first;
  const take = (next: StartedInside): void => {
    started = next;
    driver.insideIs(next.inside, next.state);
    // What ended while nobody listened.
    for (const container of next.state.containers) if (container.ended !== undefined) driver.ended(container);
  };
  take(options.first);
  return {
    inside: () => started.inside,
    async run({ signal }) {
      for (let failures = 0; !signal.aborted; ) {
        const sweep = new AbortController();
        void clearUnclaimed(started, { driver, clock, report, signal: AbortSignal.any([signal, sweep.signal]) });
        const why = await follow(started, driver, signal);
        sweep.abort(new Error('the process inside is gone'));
        if (signal.aborted) return;
        await sleep(clock, failures === 0 ? 0 : retryMs * 2 ** Math.min(failures, 6), { signal });
        try {
          const next = await start();
          started.inside.close();
          if (!next.isAdopted) {
            report('the process inside has ended, and with it all that ran; it is started again', why);
            driver.insideIsLost();
          }
          take(next);
          isThere();
          failures = 0;
        } catch (error) {
          failures++;
          if (failures >= failuresMax) throw error;
          report('the process inside cannot be started; it is tried again', error);
        }
      }
    },
  };
}

/** Until it cannot be followed any more; resolves with the reason. */
async function follow({ inside, state }: StartedInside, driver: ProcessDriver, signal: AbortSignal): Promise<unknown> {
  try {
    for await (const event of inside.events(state.event, { signal })) {
      if (event.is === 'ended') driver.ended(event.container);
      if (event.is === 'overfull') driver.overfull(event);
      if (event.is === 'told') driver.told(event);
    }
    return new Error('its events have ended');
  } catch (error) {
    return error;
  }
}

interface Clearing extends Pick<InsideKeeperOptions, 'driver' | 'clock' | 'report'> {
  readonly signal: AbortSignal;
}

async function clearUnclaimed({ inside }: StartedInside, { driver, clock, report, signal }: Clearing): Promise<void> {
  try {
    do await sleep(clock, unclaimedAfterMs, { signal });
    while (!driver.isListened);
    for (const uid of driver.unclaimed()) await inside.removePod(uid);
  } catch (error) {
    if (!signal.aborted) report('cannot clear what pods left that are gone', error);
  }
}
