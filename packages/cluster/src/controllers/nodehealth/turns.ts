/**
 * Nodes of a zone that wait until their pods may be driven away: one after the other, in the order in which they asked, with a pause
 * between two. Who is well again before its turn gives its place to the next one.
 */
export interface Turns {
  /** Takes its place, if it has none. */
  ask(node: string): Turn;
  /** Returns who is first now, if that has changed: it has to ask again. */
  leave(node: string): string | undefined;
  /** How long the pause is; undefined: nobody's turn comes. Returns who is first, if this is news to it. */
  setPace(everyMs: number | undefined): string | undefined;
}

export type Turn =
  /** It has it, until it leaves or the pace changes; `next` has to ask again. */
  | { readonly is: 'now'; readonly next: string | undefined }
  | { readonly is: 'later'; readonly atMs: number }
  /** Others are first, or nobody's turn comes. */
  | { readonly is: 'unknown' };

export interface TurnsOptions {
  readonly nowMs: () => number;
  /** How long a node waits at least: many that fall in the same moment are to be judged together. */
  readonly gatherMs: number;
  readonly everyMs: number;
}

export function createTurns({ nowMs, gatherMs, ...at }: TurnsOptions): Turns {
  const waiting = createLine();
  const taken = new Set<string>();
  let everyMs: number | undefined = at.everyMs;
  let nextMs = 0;
  let stoppedMs = 0;
  const first = (): string | undefined => (everyMs === undefined ? undefined : waiting.first());
  return {
    ask(node) {
      if (taken.has(node)) return { is: 'now', next: undefined };
      const askedMs = nowMs();
      const soonestMs = waiting.join(node, askedMs + gatherMs);
      if (everyMs === undefined || first() !== node) return { is: 'unknown' };
      const atMs = Math.max(soonestMs, nextMs);
      if (atMs > askedMs) return { is: 'later', atMs };
      waiting.leave(node);
      taken.add(node);
      nextMs = askedMs + everyMs;
      return { is: 'now', next: first() };
    },
    leave(node) {
      const before = first();
      taken.delete(node);
      waiting.leave(node);
      return before === node ? first() : undefined;
    },
    setPace(next) {
      if (next === everyMs) return undefined;
      taken.clear();
      const changedMs = nowMs();
      if (next === undefined) stoppedMs = changedMs;
      // A whole pause before the first: what has just got better may get worse again. A stop that was none is not counted.
      else if (everyMs === undefined ? changedMs - stoppedMs > gatherMs : nextMs > changedMs) nextMs = changedMs + next;
      everyMs = next;
      return first();
    },
  };
}

interface Line {
  /** Takes a place at its end, if it has none. Returns before when its turn does not come. */
  join(node: string, soonestMs: number): number;
  leave(node: string): void;
  first(): string | undefined;
}

/** Who is first is known at once, however many have left: thousands come back one after the other when a network does. */
function createLine(): Line {
  const places = new Map<string, number>();
  let walk = places.keys();
  let head: string | undefined;
  return {
    join(node, soonestMs) {
      const known = places.get(node);
      if (known === undefined) places.set(node, soonestMs);
      return known ?? soonestMs;
    },
    leave(node) {
      places.delete(node);
      if (head === node) head = undefined;
    },
    first() {
      if (places.size === 0) return undefined;
      head ??= walk.next().value;
      if (head !== undefined) return head;
      // A walk that has come to its end does not see who joins later.
      walk = places.keys();
      head = walk.next().value;
      return head;
    },
  };
}
