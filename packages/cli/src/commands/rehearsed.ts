import { type Holding, type Platform, resourceName, sleep } from '@signalbox/cluster';
import type { RootComponent } from '@signalbox/telemetry';
import { CommandError } from '../io/errors.ts';
import type { Io } from '../io/io.ts';
import type { Log } from '../io/log.ts';
import { type Rehearsal, type RehearsalSum, rehearse } from './dry-run.ts';

/** What the operator is started with in order to act nowhere. */
export interface RehearsalLife extends Holding {
  readonly onPlatform: (platform: Platform) => Platform;
  /** Something cannot be followed, since the right is missing. */
  readonly onRefused: () => void;
}

export interface RehearsedOptions {
  readonly components: readonly RootComponent[];
  /** It ends when there is nothing left to look at, and the exit code says whether there is something to do. */
  readonly once: boolean;
  readonly log: Log;
  readonly io: Io;
}

const somethingChanges = 3;
/** Longer than any part puts off what it looks at. */
const restMs = 3_000;
const lookEveryMs = 200;
/** By then whoever is refused has been refused everything. */
const refusedWithinMs = 2_000;

/** Lets the operator tell what it would do, and at the end says the sum of it. Resolves with the exit code. */
export async function rehearsed(
  work: (life: RehearsalLife) => Promise<void>,
  { components, once, log, io }: RehearsedOptions,
): Promise<number> {
  const tell = (message: string): void => log.write({ level: 'info', message });
  const types = components.flatMap(({ rootType, reads, owns }) => [rootType, ...reads, ...owns]);
  const needed = new Set(types.map(resourceName));
  const life = new AbortController();
  let rehearsal: Rehearsal | undefined;
  let refusedMs: number | undefined;
  let unseen: readonly string[] = [];
  const look = (): void => {
    unseen = rehearsal?.unseen().filter((name) => needed.has(name)) ?? [];
  };
  // Afterwards everything counts as not followed.
  const end = (): void => {
    if (!life.signal.aborted) look();
    life.abort();
  };
  const isOver = (nowMs: number): boolean => {
    look();
    if (unseen.length === 0) return (rehearsal?.hasRestedMs(nowMs) ?? 0) >= restMs;
    return refusedMs !== undefined && nowMs - refusedMs >= refusedWithinMs;
  };
  const rests = async (): Promise<void> => {
    while (!isOver(io.clock.nowMs())) await sleep(io.clock, lookEveryMs, { signal: life.signal });
    end();
  };
  io.signal.addEventListener('abort', end, { once: true });
  if (io.signal.aborted) end();
  const resting = once ? rests().catch(() => undefined) : undefined;
  try {
    await work({
      signal: life.signal,
      isHeld: () => true,
      onPlatform: (platform) => {
        rehearsal = rehearse(platform, tell);
        return rehearsal.platform;
      },
      onRefused: () => {
        refusedMs ??= io.clock.nowMs();
      },
    });
  } finally {
    end();
    io.signal.removeEventListener('abort', end);
    await resting;
  }
  return rehearsal === undefined ? 0 : told(rehearsal.sum(), { unseen, log, isOver: once && !io.signal.aborted });
}

interface Seen {
  /** Needed, and of which nothing is known. */
  readonly unseen: readonly string[];
  readonly log: Log;
  /** It ended by itself. */
  readonly isOver: boolean;
}

function told(sum: RehearsalSum, { unseen, log, isOver }: Seen): number {
  if (unseen.length > 0) {
    const message = `cannot say what it would do, as it has not seen ${unseen.join(', ')}`;
    if (isOver) throw new CommandError(`${message}: ask for the right to list and watch them`);
    log.write({ level: 'warn', message });
    return 0;
  }
  const [changes, warnings] = [sum.create + sum.change + sum.delete, sum['warn of']];
  log.write({
    level: 'info',
    message: `would create ${sum.create}, change ${sum.change} and delete ${sum.delete} objects; ${warnings} warnings`,
  });
  return isOver && changes > 0 ? somethingChanges : 0;
}
