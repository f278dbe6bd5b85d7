import { hashedShard } from '../relabel/execute.ts';
import { xxhash64 } from '../relabel/xxhash.ts';
import type { Sharing } from './state-text.ts';

/** A text's number below the modulus. */
export type HashOf = (text: string, modulus: number) => number;

/** Prometheus and all that is made of it hash by MD5, vmagent by xxHash. */
const hashes: readonly HashOf[] = [hashedShard, (text, modulus) => Number(xxhash64(text) % BigInt(modulus))];

export interface HeldByShard {
  readonly shard: number;
  readonly text: string;
}

/** Edited monitors and late discovery leave some where they are not expected. */
const strayPart = 0.05;
/** So many say as much as all of them. */
const looksMax = 2_000;

/**
 * The hash by which these targets came to their shards; nobody has to know which program runs. Undefined: by none, so that
 * nothing can be told from where they are, or there are none.
 */
export function hashBehind(held: readonly HeldByShard[], sharings: readonly Sharing[]): HashOf | undefined {
  if (held.length === 0) return undefined;
  const every = Math.ceil(held.length / looksMax);
  const some = every === 1 ? held : held.filter((_, index) => index % every === 0);
  const straysMax = Math.floor(some.length * strayPart);
  return hashes.map(remembering).find((hash) => fits(some, { hash, sharings, straysMax }));
}

/** The same texts are asked for again. */
function remembering(hash: HashOf): HashOf {
  const known = new Map<number, Map<string, number>>();
  return (text, modulus) => {
    const numbers = known.get(modulus) ?? new Map<string, number>();
    known.set(modulus, numbers);
    const number = numbers.get(text) ?? hash(text, modulus);
    numbers.set(text, number);
    return number;
  };
}

interface Fitting {
  readonly hash: HashOf;
  readonly sharings: readonly Sharing[];
  readonly straysMax: number;
}

function fits(held: readonly HeldByShard[], { hash, sharings, straysMax }: Fitting): boolean {
  let strays = 0;
  for (const { shard, text } of held) {
    if (!sharings.some((sharing) => shardOf(sharing, text, hash) === shard)) strays++;
    if (strays > straysMax) return false;
  }
  return true;
}

/** Who is to scrape the target of a text. */
export function shardOf({ shards, owners }: Sharing, text: string, hash: HashOf): number {
  return owners === undefined ? hash(text, shards) : (owners[hash(text, owners.length)] ?? 0);
}
