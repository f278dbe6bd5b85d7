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

/** 32-bit FNV-1a of the text's UTF-8 bytes, unsigned. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** Letters and digits that cannot spell a word by accident: what generated names and hashes are made of. */
export const safeAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

export function randomText(random: Random, length: number): string {
  let text = '';
  for (let index = 0; index < length; index++) text += safeAlphabet[random.below(safeAlphabet.length)];
  return text;
}

const hexDigits = '0123456789abcdef';

/** A version 4 UUID. */
export function randomUuid(random: Random): string {
  let text = '';
  for (let index = 0; index < 32; index++) text += hexDigits[random.below(16)];
  const variant = hexDigits[8 + random.below(4)];
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20)}`;
}
