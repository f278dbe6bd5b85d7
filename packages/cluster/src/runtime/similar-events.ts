import type { ObjectReference } from '../api/generated/core-v1.ts';

/** What is said again within this time is counted. */
export const repeatWithinMs = 600_000;
/** From so many on that differ only in their words they are told as one. */
const similarMax = 10;
/** At least; a quarter more before the oldest are forgotten. */
const rememberedMax = 4_096;

interface Said {
  readonly regarding: ObjectReference;
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly atMs: number;
}

/** Under what an event is counted, and its words where they are others than were said. */
export interface Correlated {
  readonly id: string;
  readonly message?: string | undefined;
}

export function eachByItself({ regarding, type, reason, note }: Said): Correlated {
  return { id: `${regarding.uid} ${type} ${reason} ${note}` };
}

/** As upstream's recorder: once there are many alike within ten minutes, those that follow are one, in the words of the last. */
export function createCorrelation(): (happened: Said) => Correlated {
  const similar = new Map<string, { readonly notes: Set<string>; lastMs: number }>();
  return (happened) => {
    const { regarding, type, reason, note, atMs } = happened;
    const key = `${regarding.uid} ${type} ${reason}`;
    const known = similar.get(key);
    const record =
      known !== undefined && atMs - known.lastMs <= repeatWithinMs ? known : { notes: new Set<string>(), lastMs: atMs };
    record.notes.add(note);
    record.lastMs = atMs;
    similar.delete(key);
    similar.set(key, record);
    forgetOldest(similar);
    if (record.notes.size < similarMax) return eachByItself(happened);
    for (const other of record.notes)
      if (other !== note) {
        record.notes.delete(other);
        break;
      }
    return { id: key, message: `(combined from similar events): ${note}` };
  };
}

/** One after the other what is counted under one name: the second has to know of the first. */
export function createTurns(): (id: string, write: () => Promise<void>) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  return (id, write) => {
    const before = last.get(id);
    const turn = before === undefined ? write() : before.then(write, write);
    last.set(id, turn);
    return turn.finally(() => {
      if (last.get(id) === turn) last.delete(id);
    });
  };
}

/** Many at once: of a map that loses its first key each time, all that it has lost is passed to find the next. */
export function forgetOldest(map: Map<string, unknown>): void {
  if (map.size <= rememberedMax + rememberedMax / 4) return;
  let surplus = map.size - rememberedMax;
  for (const key of map.keys()) {
    if (surplus-- === 0) return;
    map.delete(key);
  }
}
