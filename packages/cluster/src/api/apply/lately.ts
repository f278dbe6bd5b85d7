const max = 8;
/** So many at the end are on probation: only what was found again moves before them. */
const probation = 3;

/**
 * The few things that were used lately at one place. What comes once, as what has an address in it, does not drive out what comes
 * again and again.
 */
export class Lately<T> {
  readonly #items: T[] = [];
  #next = 0;

  /** The one that is wanted, which moves to the front by halves. */
  find(is: (item: T) => boolean): T | undefined {
    const items = this.#items;
    for (let index = 0; index < items.length; index++) {
      const item = items[index] as T;
      if (!is(item)) continue;
      if (index > 0) {
        const before = index >> 1;
        items[index] = items[before] as T;
        items[before] = item;
      }
      return item;
    }
    return undefined;
  }

  add(item: T): void {
    if (this.#items.length < max) {
      this.#items.push(item);
      return;
    }
    this.#items[max - 1 - this.#next] = item;
    this.#next = (this.#next + 1) % probation;
  }
}
