import { assert } from './assert.ts';

/** A part of the program that is loaded when it is first needed. */
export interface Later<T> {
  readonly isHere: boolean;
  /** Settles at once when it is here. A failure is not remembered. */
  load(): Promise<T>;
  /** For code that cannot wait: somebody has waited for {@link load} before. */
  now(): T;
}

export function later<T>(load: () => Promise<T>): Later<T> {
  let loaded: { readonly part: T } | undefined;
  return {
    get isHere() {
      return loaded !== undefined;
    },
    async load() {
      loaded ??= { part: await load() };
      return loaded.part;
    },
    now() {
      assert(loaded !== undefined, 'a part is loaded before it is used');
      return loaded.part;
    },
  };
}
