/** A run of places on a circle, from one on, past the last to the first. */
export interface Stretch {
  readonly start: number;
  readonly length: number;
}

/**
 * Places on a circle, some of them marked. Finds the next marked one from any place on, or the hundredth, without walking: counts
 * stand in a tree of partial sums.
 */
export class Ring {
  readonly size: number;
  readonly #marks: Uint8Array;
  readonly #sums: Int32Array;
  /** The largest power of two that is no more than the size. */
  readonly #top: number;
  #count = 0;

  constructor(size: number) {
    this.size = size;
    this.#marks = new Uint8Array(size);
    this.#sums = new Int32Array(size + 1);
    this.#top = size === 0 ? 0 : 2 ** Math.floor(Math.log2(size));
  }

  get count(): number {
    return this.#count;
  }

  has(place: number): boolean {
    return this.#marks[place] === 1;
  }

  add(place: number): void {
    if (this.#marks[place] !== 0) return;
    this.#marks[place] = 1;
    this.#step(place, 1);
  }

  remove(place: number): void {
    if (this.#marks[place] !== 1) return;
    this.#marks[place] = 0;
    this.#step(place, -1);
  }

  clear(): void {
    this.#marks.fill(0);
    this.#sums.fill(0);
    this.#count = 0;
  }

  /** How many steps from `start` to the nth marked place from there on, which counts from 0; undefined: there are not so many. */
  stepsTo(start: number, nth: number): number | undefined {
    if (nth >= this.#count) return undefined;
    const rank = this.#before(start) + nth;
    const place = this.#find(rank < this.#count ? rank : rank - this.#count);
    return place >= start ? place - start : place - start + this.size;
  }

  countIn({ start, length }: Stretch): number {
    const end = start + length;
    if (end <= this.size) return this.#before(end) - this.#before(start);
    return this.#count - this.#before(start) + this.#before(end - this.size);
  }

  #step(place: number, by: 1 | -1): void {
    this.#count += by;
    const sums = this.#sums;
    for (let at = place + 1; at <= this.size; at += at & -at) sums[at] = (sums[at] ?? 0) + by;
  }

  #before(place: number): number {
    let sum = 0;
    for (let at = place; at > 0; at -= at & -at) sum += this.#sums[at] ?? 0;
    return sum;
  }

  /** The marked place before which there are `rank` others. */
  #find(rank: number): number {
    let place = 0;
    let left = rank;
    for (let step = this.#top; step > 0; step >>= 1) {
      const next = place + step;
      const sum = next <= this.size ? (this.#sums[next] ?? 0) : Number.POSITIVE_INFINITY;
      if (sum > left) continue;
      place = next;
      left -= sum;
    }
    return place;
  }
}
