import type { Stretch } from './ring.ts';

/** The first of the best, and how many are as good. */
export interface Winners {
  readonly first: number;
  readonly count: number;
}

const nobody = -1;

/** Who is best on a stretch of a circle, without asking all of them: each change is a walk up a tree. */
export class Contest {
  readonly #size: number;
  /** Where the leaves begin. */
  readonly #base: number;
  readonly #isBetter: (a: number, b: number) => boolean;
  readonly #firsts: Int32Array;
  readonly #counts: Int32Array;

  constructor(size: number, isBetter: (a: number, b: number) => boolean) {
    this.#size = size;
    this.#isBetter = isBetter;
    this.#base = 2 ** Math.ceil(Math.log2(Math.max(1, size)));
    this.#firsts = new Int32Array(2 * this.#base).fill(nobody);
    this.#counts = new Int32Array(2 * this.#base);
  }

  /** The place takes part from now on, or is not as good as it was. */
  enter(place: number): void {
    this.#set(place, place);
  }

  leave(place: number): void {
    if (this.#firsts[this.#base + place] !== nobody) this.#set(place, nobody);
  }

  clear(): void {
    this.#firsts.fill(nobody);
    this.#counts.fill(0);
  }

  best(stretch: Stretch): Winners | undefined {
    let first = nobody;
    let count = 0;
    for (const node of this.#parts(stretch)) {
      const other = this.#firsts[node] ?? nobody;
      if (other === nobody) continue;
      if (first === nobody || this.#isBetter(other, first)) {
        first = other;
        count = this.#counts[node] ?? 0;
      } else if (!this.#isBetter(first, other)) count += this.#counts[node] ?? 0;
    }
    return first === nobody ? undefined : { first, count };
  }

  /** The nth of those that are as good as the best, in their order on the stretch; counts from 0. */
  nthBest(stretch: Stretch, { first, nth }: { readonly first: number; readonly nth: number }): number {
    let left = nth;
    const asGood = (node: number): number => {
      const other = this.#firsts[node] ?? nobody;
      return other === nobody || this.#isBetter(first, other) ? 0 : (this.#counts[node] ?? 0);
    };
    for (const part of this.#parts(stretch)) {
      const count = asGood(part);
      if (left >= count) {
        left -= count;
        continue;
      }
      let node = part;
      while (node < this.#base) {
        node *= 2;
        const before = asGood(node);
        if (left < before) continue;
        left -= before;
        node++;
      }
      return node - this.#base;
    }
    return first;
  }

  #set(place: number, first: number): void {
    let node = this.#base + place;
    this.#firsts[node] = first;
    this.#counts[node] = first === nobody ? 0 : 1;
    for (node >>= 1; node > 0; node >>= 1) this.#meet(node);
  }

  #meet(node: number): void {
    const left = this.#firsts[2 * node] ?? nobody;
    const right = this.#firsts[2 * node + 1] ?? nobody;
    const leftCount = this.#counts[2 * node] ?? 0;
    const rightCount = this.#counts[2 * node + 1] ?? 0;
    if (right === nobody || (left !== nobody && this.#isBetter(left, right))) {
      this.#firsts[node] = left;
      this.#counts[node] = leftCount;
    } else if (left === nobody || this.#isBetter(right, left)) {
      this.#firsts[node] = right;
      this.#counts[node] = rightCount;
    } else {
      this.#firsts[node] = left;
      this.#counts[node] = leftCount + rightCount;
    }
  }

  /** The inner nodes that together are the stretch, in its order. */
  #parts({ start, length }: Stretch): readonly number[] {
    const end = start + length;
    if (end <= this.#size) return this.#cover(start, end);
    return [...this.#cover(start, this.#size), ...this.#cover(0, end - this.#size)];
  }

  #cover(from: number, to: number): readonly number[] {
    const left: number[] = [];
    const right: number[] = [];
    for (let low = from + this.#base, high = to + this.#base; low < high; low >>= 1, high >>= 1) {
      if (low % 2 === 1) left.push(low++);
      if (high % 2 === 1) right.push(--high);
    }
    return right.length === 0 ? left : [...left, ...right.reverse()];
  }
}
