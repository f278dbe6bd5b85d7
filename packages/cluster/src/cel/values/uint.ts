export const uintMax: bigint = 2n ** 64n - 1n;
export const intMax: bigint = 2n ** 63n - 1n;
export const intMin: bigint = -(2n ** 63n);

/** An unsigned integer; the signed ones are plain bigints. */
export class Uint {
  readonly amount: bigint;

  constructor(amount: bigint) {
    this.amount = amount;
  }
}
