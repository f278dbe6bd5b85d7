/*
 * XXH64 of a text with seed 0. vmagent's `hashmod` goes by it, where Prometheus and all that is made of it take MD5.
 */

const [one, two, three, four, five] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
] as const;

export function xxhash64(text: string): bigint {
  const bytes = Buffer.from(text, 'utf8');
  const whole = bytes.length - (bytes.length % 32);
  let sum = wrapped((whole === 0 ? five : hashOfStripes(bytes, whole)) + BigInt(bytes.length));
  let at = whole;
  for (; at + 8 <= bytes.length; at += 8)
    sum = wrapped(rotated(sum ^ round(0n, bytes.readBigUInt64LE(at)), 27n) * one + four);
  if (at + 4 <= bytes.length) {
    sum = wrapped(rotated(sum ^ wrapped(BigInt(bytes.readUInt32LE(at)) * one), 23n) * two + three);
    at += 4;
  }
  for (; at < bytes.length; at++) sum = wrapped(rotated(sum ^ wrapped(BigInt(bytes.readUInt8(at)) * five), 11n) * one);
  return mixed(sum);
}

/** Of the first bytes, 32 at a time. */
function hashOfStripes(bytes: Buffer, length: number): bigint {
  const lanes = [wrapped(one + two), two, 0n, wrapped(-one)];
  for (let at = 0; at < length; at += 32)
    for (const [lane, sum] of lanes.entries()) lanes[lane] = round(sum, bytes.readBigUInt64LE(at + 8 * lane));
  const turns = [1n, 7n, 12n, 18n];
  const joined = lanes.reduce((sum, lane, index) => sum + rotated(lane, turns[index] ?? 0n), 0n);
  return lanes.reduce((sum, lane) => wrapped((sum ^ round(0n, lane)) * one + four), wrapped(joined));
}

function round(sum: bigint, input: bigint): bigint {
  return wrapped(rotated(wrapped(sum + input * two), 31n) * one);
}

function mixed(sum: bigint): bigint {
  const half = wrapped((sum ^ (sum >> 33n)) * two);
  const most = wrapped((half ^ (half >> 29n)) * three);
  return most ^ (most >> 32n);
}

function rotated(value: bigint, by: bigint): bigint {
  return wrapped((value << by) | (value >> (64n - by)));
}

function wrapped(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
