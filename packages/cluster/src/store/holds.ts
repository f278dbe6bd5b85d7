/** Who keeps, outside the store, what could be read at a revision: lists that are on their way to a slow reader. */
export interface Holds {
  /** `letGo` is called once, when the revision has to be forgotten. Returns how to say that it is not kept any more. */
  add(revision: number, letGo: () => void): () => void;
  /** Tells all that hold on to something older than `revision`. */
  expire(revision: number): void;
}

interface Hold {
  readonly revision: number;
  readonly letGo: () => void;
}

export function createHolds(): Holds {
  const holds = new Set<Hold>();
  let expired = 0;
  return {
    add(revision, letGo) {
      const hold = { revision, letGo };
      if (revision < expired) letGo();
      else holds.add(hold);
      return () => void holds.delete(hold);
    },
    expire(revision) {
      expired = Math.max(expired, revision);
      for (const hold of [...holds]) {
        if (hold.revision >= revision) continue;
        holds.delete(hold);
        hold.letGo();
      }
    },
  };
}
