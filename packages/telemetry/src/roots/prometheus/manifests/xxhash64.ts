/*
 * The hash by which upstream tells the volumes of long names apart: XXH64 with seed 0, as
 * https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md has it. It is here for names of at most 253 characters,
 * not for speed: the arithmetic is that of big integers, kept to 64 bits.
 */
const prime1 = 0x9e3779b185ebca87n;
const prime2 = 0xc2b2ae3d27d4eb4fn;
const prime3 = 0x165667b19e3779f9n;
const prime4 = 0x85ebca77c2b2ae63n;
const prime5 = 0x27d4eb2f165667c5n;

const stripeBytes = 32;

export function xxhash64(text: string): bigint {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer);
  const stripes = Math.floor(bytes.length / stripeBytes);
  let hash = word((stripes === 0 ? prime5 : converge(stripeLanes(view, stripes))) + BigInt(bytes.length));
  let at = stripes * stripeBytes;
  for (; at + 8 <= bytes.length; at += 8)
    hash = word(rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * prime1 + prime4);
  for (; at + 4 <= bytes.length; at += 4)
    hash = word(rotate(hash ^ word(BigInt(view.getUint32(at, true)) * prime1), 23n) * prime2 + prime3);
  for (; at < bytes.length; at += 1) hash = word(rotate(hash ^ word(BigInt(view.getUint8(at)) * prime5), 11n) * prime1);
  return avalanche(hash);
}

type Lanes = readonly [bigint, bigint, bigint, bigint];

function stripeLanes(view: DataView, stripes: number): Lanes {
  let lanes: Lanes = [word(prime1 + prime2), prime2, 0n, word(-prime1)];
  for (let stripe = 0; stripe < stripes; stripe += 1) {
    const read = (lane: number): bigint => view.getBigUint64(stripe * stripeBytes + lane * 8, true);
    const [a, b, c, d] = lanes;
    lanes = [round(a, read(0)), round(b, read(1)), round(c, read(2)), round(d, read(3))];
  }
  return lanes;
}

function converge(lanes: Lanes): bigint {
  const [a, b, c, d] = lanes;
  const sum = word(rotate(a, 1n) + rotate(b, 7n) + rotate(c, 12n) + rotate(d, 18n));
  return lanes.reduce((hash, lane) => word((hash ^ round(0n, lane)) * prime1 + prime4), sum);
}

function round(lane: bigint, input: bigint): bigint {
  return word(rotate(word(lane + input * prime2), 31n) * prime1);
}

function avalanche(hash: bigint): bigint {
  const first = word((hash ^ (hash >> 33n)) * prime2);
  const second = word((first ^ (first >> 29n)) * prime3);
  return second ^ (second >> 32n);
}

function rotate(value: bigint, bits: bigint): bigint {
  return word((value << bits) | (value >> (64n - bits)));
}

function word(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
