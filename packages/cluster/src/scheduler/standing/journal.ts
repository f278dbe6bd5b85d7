/** What changed, in turn, for readers who come again at times of their own. Keeps so much only; who stayed away longer looks at all. */
export class Journal<T> {
  readonly #kept: number;
  #entries: T[] = [];
  #forgotten = 0;

  constructor(kept: number) {
    this.#kept = kept;
  }

  /** Where the next entry will be. */
  get end(): number {
    return this.#forgotten + this.#entries.length;
  }

  add(entry: T): void {
    this.#entries.push(entry);
    if (this.#entries.length < 2 * this.#kept) return;
    this.#forgotten += this.#kept;
    this.#entries = this.#entries.slice(this.#kept);
  }

  /** What came at `position` and after it; undefined: not all of that is known any more. Looks at what there is when it is walked. */
  from(position: number): readonly T[] | undefined {
    if (position < this.#forgotten) return undefined;
    return position === this.end ? noEntries : this.#entries.slice(position - this.#forgotten);
  }
}

const noEntries: readonly never[] = Object.freeze([]);
