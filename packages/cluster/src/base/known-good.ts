import { freeze } from './freeze.ts';

/*
 * Parts of objects that were judged before, by a test of who brings them along: as long as they are the same value, nobody
 * judges them again.
 */

const good = new WeakSet<object>();

/** From now on this value is frozen, and found good by whoever asks. */
export function noteGood(value: object): void {
  good.add(freeze(value));
}

export function isKnownGood(value: object): boolean {
  return good.has(value);
}
