/** What is to be said to a question, from what an index has. */
import type { Answer } from 'dns-packet';
import type { ZoneIndex } from './zone-index.ts';

export const rcodes = { noError: 0, formatError: 1, nameError: 3, notImplemented: 4, refused: 5 } as const;

export interface Question {
  /** In small letters, without a final dot. */
  readonly name: string;
  readonly type: string;
}

export interface Resolved {
  readonly rcode: number;
  /** Whether it is of our domain. */
  readonly isAuthoritative: boolean;
  readonly answers: readonly Answer[];
  readonly authorities: readonly Answer[];
  readonly additionals: readonly Answer[];
}

/** A chain longer than this is a circle. */
const aliasesMax = 8;

/**
 * Names outside the domain that nobody gave to the zone do not exist: nothing is asked of anybody else. `chance` in [0, 1) decides
 * where the addresses of a name begin, so that clients that take the first one do not all take the same.
 */
export function resolve({ name, type }: Question, index: ZoneIndex, chance: () => number): Resolved {
  const isAuthoritative = index.isOurs(name);
  const chain: Answer[] = [];
  let at = name;
  let found = index.find(at);
  for (let alias = aliasOf(found, type); alias !== undefined; alias = aliasOf(found, type)) {
    chain.push(alias.answer);
    if (chain.length > aliasesMax) break;
    at = alias.target;
    found = index.find(at);
  }
  const matching = rotated(found?.filter((answer) => answer.type === type || type === 'ANY') ?? [], chance);
  const nothing = matching.length === 0;
  return {
    rcode: found === undefined ? rcodes.nameError : rcodes.noError,
    isAuthoritative,
    answers: [...chain, ...matching],
    authorities: nothing && index.isOurs(at) ? [index.authority] : [],
    additionals: additionalsOf(matching, index),
  };
}

function aliasOf(
  found: readonly Answer[] | undefined,
  type: string,
): { readonly answer: Answer; readonly target: string } | undefined {
  if (type === 'CNAME' || type === 'ANY') return undefined;
  for (const answer of found ?? []) if (answer.type === 'CNAME') return { answer, target: answer.data };
  return undefined;
}

/** The addresses of what services' records lead to. */
function additionalsOf(answers: readonly Answer[], index: ZoneIndex): readonly Answer[] {
  const targets = new Set(answers.flatMap((answer) => (answer.type === 'SRV' ? [answer.data.target] : [])));
  return [...targets].flatMap((target) =>
    (index.find(target) ?? []).filter(({ type }) => type === 'A' || type === 'AAAA'),
  );
}

function rotated(answers: readonly Answer[], chance: () => number): readonly Answer[] {
  if (answers.length < 2) return answers;
  const start = Math.floor(chance() * answers.length);
  return [...answers.slice(start), ...answers.slice(0, start)];
}
