import { CostExceeded, type Value } from '../values/value.ts';

/** One run of an expression: its variables by their places, and what it has cost so far. */
export class Frame {
  readonly slots: Value[];
  readonly #limit: number;
  cost = 0;

  constructor(slots: Value[], limit: number) {
    this.slots = slots;
    this.#limit = limit;
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CostExceeded();
  }
}

export type Run = (frame: Frame) => Value;
