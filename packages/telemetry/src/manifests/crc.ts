/*
 * The check sum of two texts on end from those of each, as zlib combines them: a check sum is a polynomial over two
 * elements, and what follows a text multiplies it. https://github.com/madler/zlib/blob/v1.3.1/crc32.c
 */

/** CRC-32 of what has `first` as its check sum, followed by `length` bytes that have `second`. */
export function combinedCrc(first: number, second: number, length: number): number {
  return (product(first, bytesOn(length)) ^ second) >>> 0;
}

/** The lowest bit stands for the highest power. */
const polynomial = 0xedb88320;
const one = 0x80000000;

function product(a: number, b: number): number {
  let sum = 0;
  let factor = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) sum ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ polynomial;
  }
  return sum >>> 0;
}

/** x to the power of 2ⁿ, modulo the polynomial. */
const squares: readonly number[] = Array.from({ length: 31 }).reduce<readonly number[]>(
  (all) => [...all, product(all.at(-1) ?? 0, all.at(-1) ?? 0)],
  [0x40000000],
);

/** x to the power of as many bits as stand in `length` bytes. */
function bytesOn(length: number): number {
  let power = one;
  // The powers of x repeat after 2³² - 1, so the place of a bit counts modulo 32.
  for (let left = length, place = 3; left > 0; left = Math.floor(left / 2), place++)
    if (left % 2 === 1) power = product(squares[place % 32] ?? one, power);
  return power;
}
