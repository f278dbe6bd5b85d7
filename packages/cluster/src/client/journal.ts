import type { Key } from '../api/meta.ts';

/** How far somebody has read a journal. */
export type Mark = number;

/** What has changed since a mark. */
export interface Changes {
  /** To go on from. */
  readonly mark: Mark;
  /** In the order of the changes, each as often as it changed. Undefined: nobody remembers that far, so all has to be looked at. */
  readonly keys: readonly Key[] | undefined;
}

/** Which objects of a cache have changed lately, for those who keep something that follows from them. */
export interface Journal {
  note(key: Key): void;
  /** Without a mark: where the journal stands now. */
  since(mark: Mark | undefined): Changes;
}

/** Who is further behind than there are objects looks at all of them, which costs as much. */
const remembersLeast = 1_024;
const remembersMost = 65_536;

/** It begins with the first question: what nobody follows costs nothing. `size`: how many objects there are. */
export function createJournal(size: () => number): Journal {
  let keys: Key[] | undefined;
  /** How many changes came before the first of `keys`. */
  let forgotten = 0;
  return {
    note(key) {
      if (keys === undefined) return;
      if (keys.length >= 2 * Math.min(remembersMost, Math.max(remembersLeast, size()))) {
        const forgets = keys.length >> 1;
        keys = keys.slice(forgets);
        forgotten += forgets;
      }
      keys.push(key);
    },
    since(mark) {
      keys ??= [];
      const changed = mark === undefined || mark < forgotten ? undefined : keys.slice(mark - forgotten);
      return { mark: forgotten + keys.length, keys: changed };
    },
  };
}
