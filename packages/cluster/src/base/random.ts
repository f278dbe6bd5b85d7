import { randomBytes } from 'node:crypto';

/** Chance as a parameter. One seed gives one sequence. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [0, below). */
  below(below: number): number;
  /** An independent sequence for one part of the program, so that parts do not disturb each other's draws. */
  fork(label: string): Random;
}

/** One seed, one sequence, byte for byte; not for secrets. */
export function seededRandom(seed: string): Random {
  const state: State = [fnv1a(seed), fnv1a(`${seed}b`), fnv1a(`${seed}c`)];
  return sequence(state, (label) => seededRandom(`${seed}/${label}`));
}

/** A sequence that nobody can repeat, and no other process has: its parts begin anew, each with 96 bits of the system's. */
export function systemRandom(): Random {
  const bytes = randomBytes(12);
  return sequence([bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)], () => systemRandom());
}

type State = readonly [number, number, number];

/** sfc32: small, fast, passes PractRand. */
function sequence(state: State, fork: Random['fork']): Random {
  let [a, b, c] = state;
  let d = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4_294_967_296;
  };
  for (let round = 0; round < 12; round++) next();
  return { next, below: (below) => Math.floor(next() * below), fork };
}

const fnvBasis = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** 32-bit FNV-1a of the text's UTF-8 bytes, unsigned. `before` is the hash of what stands before the text. */
export function fnv1a(text: string, before: number = fnvBasis): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Most texts have one byte a character, and need no buffer.
    if (unit > 0x7f) return fnv1aOfBytes(Buffer.from(text.slice(at)), hash);
    hash = Math.imul(hash ^ unit, fnvPrime);
  }
  return hash >>> 0;
}

function fnv1aOfBytes(bytes: Buffer, before: number): number {
  let hash = before;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, fnvPrime);
  return hash >>> 0;
}

/** Letters and digits that cannot spell a word by accident: what generated names and hashes are made of. */
export const safeAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

export function randomText(random: Random, length: number): string {
  let text = '';
  for (let index = 0; index < length; index++) text += safeAlphabet[random.below(safeAlphabet.length)];
  return text;
}

const uuidLength = 36;
const uuidBytes = Buffer.alloc(uuidLength, '-');
const dashes: ReadonlySet<number> = new Set([8, 13, 18, 23]);
const digitPlaces: readonly number[] = Array.from({ length: uuidLength }, (_, at) => at).filter(
  (at) => !dashes.has(at),
);
const versionAt = 14;
const variantAt = 19;

/** A version 4 UUID. */
export function randomUuid(random: Random): string {
  for (const at of digitPlaces) uuidBytes[at] = hexDigit(random.below(16));
  uuidBytes[versionAt] = hexDigit(4);
  uuidBytes[variantAt] = hexDigit(8 + random.below(4));
  return uuidBytes.toString('latin1');
}

function hexDigit(value: number): number {
  return value < 10 ? 0x30 + value : 0x57 + value;
}
