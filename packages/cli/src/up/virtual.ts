import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Backend,
  type BackendBatch,
  type ClockDoor,
  createDrivenClock,
  createLaggingBackend,
  type DrivenClock,
  fromTimestamp,
  overlaid,
  type Random,
  seededRandom,
  writeFileAtomically,
} from '@signalbox/cluster';
import { CommandError } from '../io/errors.ts';
import type { Io } from '../io/io.ts';

/** What the user wants of a clock that others move. */
export interface VirtualTerms {
  /** The same seed, the same names and chances; undefined: by chance. */
  readonly seed: string | undefined;
}

/** A plane's own time and chance. */
export interface Virtual {
  readonly clock: DrivenClock;
  readonly random: Random;
  readonly door: ClockDoor;
  /** The same backend; while time is moved the disk may lag behind, and it has caught up before anybody is told that the move is over. */
  watched(backend: Backend): Backend;
}

const fileName = 'clock.json';

/** In a folder it goes on where it stood, so that time never goes back; else it begins now. */
export async function openVirtual(
  { seed }: VirtualTerms,
  { folder, io }: { readonly folder: string | undefined; readonly io: Io },
): Promise<Virtual> {
  const path = folder === undefined ? undefined : join(folder, fileName);
  const startMs = Math.max(io.clock.nowMs(), path === undefined ? 0 : await savedMs(path));
  const writes = new Set<Promise<void>>();
  const settled = async (): Promise<void> => {
    while (writes.size > 0) await Promise.allSettled(writes);
  };
  const clock = createDrivenClock({ startMs, settled, real: io.clock });
  let caughtUp = (): Promise<void> => Promise.resolve();
  const moved = async (): Promise<void> => {
    await caughtUp();
    if (path !== undefined) await writeFileAtomically(path, savedText(clock.nowMs()), { mode: 0o600 });
  };
  return {
    clock,
    random: seed === undefined ? io.random : seededRandom(seed),
    door: { nowMs: clock.nowMs, driven: clock, moved },
    watched(backend) {
      const lagging = createLaggingBackend(backend, { mayLag: () => clock.targetMs !== undefined, clock: io.clock });
      caughtUp = lagging.caughtUp;
      const write = (batch: BackendBatch): Promise<void> => {
        const writing = lagging.backend.write(batch).finally(() => writes.delete(writing));
        writes.add(writing);
        return writing;
      };
      return overlaid(lagging.backend, { write });
    },
  };
}

/**
 * A folder whose own time is ahead of the computer's is not for the computer's clock: its leases, deadlines and ages would
 * be from the future, and nobody would notice a dead node until that time has come.
 */
export async function refuseAhead(folder: string, { nowMs }: { readonly nowMs: number }): Promise<void> {
  const stoodMs = await savedMs(join(folder, fileName));
  if (stoodMs <= nowMs) return;
  throw new CommandError(
    `in the data folder ${folder} it is ${new Date(stoodMs).toISOString()} already: its clock was moved; go on with --virtual, or take another folder with --data`,
  );
}

function savedText(nowMs: number): string {
  return `${JSON.stringify({ now: new Date(nowMs).toISOString() })}\n`;
}

/** 0: there is none, or it says nothing. */
async function savedMs(path: string): Promise<number> {
  try {
    const { now } = JSON.parse(await readFile(path, 'utf8')) as { readonly now?: unknown };
    const ms = fromTimestamp(String(now));
    return Number.isNaN(ms) ? 0 : ms;
  } catch {
    return 0;
  }
}
