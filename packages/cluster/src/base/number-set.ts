const wordBits = 32;

/** Small whole numbers, in their order: a bit for each up to the largest, so that nobody ever sorts them. */
export class NumberSet {
  #words = new Uint32Array(8);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(number: number): void {
    const at = number >>> 5;
    if (at >= this.#words.length) this.#grow(at);
    const word = this.#words[at] ?? 0;
    const bit = 1 << (number & 31);
    if ((word & bit) !== 0) return;
    this.#words[at] = word | bit;
    this.#size++;
  }

  delete(number: number): void {
    const at = number >>> 5;
    const word = this.#words[at] ?? 0;
    const bit = 1 << (number & 31);
    if ((word & bit) === 0) return;
    this.#words[at] = word & ~bit;
    this.#size--;
  }

  /** The smallest ones, at most so many; all of them when nothing is said. */
  first(count: number = this.#size): readonly number[] {
    const found: number[] = [];
    const wanted = Math.min(count, this.#size);
    for (let at = 0; found.length < wanted; at++) {
      let word = this.#words[at] ?? 0;
      while (word !== 0 && found.length < wanted) {
        const lowest = word & -word;
        found.push(at * wordBits + (wordBits - 1 - Math.clz32(lowest)));
        word ^= lowest;
      }
    }
    return found;
  }

  #grow(at: number): void {
    const words = new Uint32Array(Math.max(2 * this.#words.length, at + 1));
    words.set(this.#words);
    this.#words = words;
  }
}
