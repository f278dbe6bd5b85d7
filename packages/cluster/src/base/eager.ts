/** An iterator of what often comes many at a time: what is there can be had without waiting, at no cost of a promise each. */
export interface EagerIterator<T> extends AsyncIterator<T, undefined> {
  /** The next one, where it is there already and nobody waits in `next`. Undefined says nothing of whether more will come. */
  ready(): T | undefined;
}

/** What is there already besides what was awaited. Who is not eager has nothing of the kind. */
export function readyOf<T>(iterator: AsyncIterator<T>): T | undefined {
  return 'ready' in iterator ? (iterator as EagerIterator<T>).ready() : undefined;
}
