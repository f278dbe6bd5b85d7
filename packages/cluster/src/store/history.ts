import type { Version } from './version.ts';

/** The versions of the revisions that can still be asked for: first in, first out, with access by position. */
export interface History {
  push(version: Version): void;
  shift(): Version | undefined;
  at(position: number): Version | undefined;
}

export function createHistory(): History {
  const versions: (Version | undefined)[] = [];
  let first = 0;
  return {
    push: (version) => void versions.push(version),
    at: (position) => versions[first + position],
    shift() {
      const version = versions[first];
      if (version === undefined) return undefined;
      versions[first] = undefined;
      first += 1;
      // Moving the rest only when it is the smaller half makes a shift cheap on average.
      if (first > 64 && first * 2 > versions.length) {
        versions.splice(0, first);
        first = 0;
      }
      return version;
    },
  };
}
