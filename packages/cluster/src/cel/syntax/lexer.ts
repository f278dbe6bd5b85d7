import { Uint, uintMax } from '../values/uint.ts';
import type { Value } from '../values/value.ts';
import { type Problem, SyntaxProblem } from './problem.ts';
import { readQuoted } from './quoted.ts';

export type Token =
  | { readonly kind: 'identifier' | 'escaped' | 'symbol' | 'end'; readonly at: number; readonly text: string }
  | { readonly kind: 'literal'; readonly at: number; readonly text: string; readonly value: Value };

const blank = /(?:[ \t\r\n\f]+|\/\/[^\n]*)+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const float = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const integer = /(0x[0-9a-fA-F]+|\d+)([uU]?)/y;
const quoted = /(?:[rR][bB]?|[bB][rR]?)?(?:"""|'''|"|')/y;
/** A name between signs of its own, which Kubernetes does not allow anywhere. */
const escapedName = /`[A-Za-z0-9_.\-/ ]+`/y;
const halfSign = /[=&|](?:[^\n]|$)/y;
const symbol = /&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()[\]{}]/y;

const literalWords: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

export interface Tokens {
  readonly tokens: readonly Token[];
  /** What is no token is passed over. */
  readonly problems: readonly Problem[];
}

/** Throws a `SyntaxProblem` at a literal that is too large for what it is. */
export function tokensOf(source: string): Tokens {
  const tokens: Token[] = [];
  const problems: Problem[] = [];
  for (let at = 0; ; ) {
    at += matched(blank, source, at)?.length ?? 0;
    if (at >= source.length) {
      tokens.push({ kind: 'end', at: source.length, text: '<EOF>' });
      return { tokens, problems };
    }
    const token = tokenAt(source, at);
    if ('unknown' in token) {
      problems.push({ at, text: `Syntax error: token recognition error at: '${token.unknown}'` });
      at += token.unknown.length;
    } else {
      tokens.push(token);
      at += token.text.length;
    }
  }
}

function tokenAt(source: string, at: number): Token | { readonly unknown: string } {
  const opening = matched(quoted, source, at);
  if (opening !== undefined) {
    const read = readQuoted(source, { at, opening });
    return 'unknown' in read ? read : { kind: 'literal', at, text: source.slice(at, read.end), value: read.value };
  }
  const name = matched(word, source, at);
  if (name !== undefined) {
    const value = literalWords.get(name);
    if (value !== undefined) return { kind: 'literal', at, text: name, value };
    return { kind: name === 'in' ? 'symbol' : 'identifier', at, text: name };
  }
  const real = matched(float, source, at);
  if (real !== undefined) return { kind: 'literal', at, text: real, value: doubleOf(real, at) };
  const whole = matched(integer, source, at);
  if (whole !== undefined) return { kind: 'literal', at, text: whole, value: integerOf(whole, at) };
  const sign = matched(symbol, source, at);
  if (sign !== undefined) return { kind: 'symbol', at, text: sign };
  const escaped = matched(escapedName, source, at);
  if (escaped !== undefined) return { kind: 'escaped', at, text: escaped };
  // Half of a sign takes what follows with it.
  const half = matched(halfSign, source, at);
  return { unknown: half ?? String.fromCodePoint(source.codePointAt(at) ?? 0) };
}

function matched(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

function doubleOf(text: string, at: number): number {
  const amount = Number(text);
  if (!Number.isFinite(amount)) throw new SyntaxProblem(at, 'invalid double literal');
  return amount;
}

/** The sign of the smallest integer stands before it, so that one more is let through here; the parser looks at the sign. */
function integerOf(text: string, at: number): Value {
  const unsigned = /u$/i.test(text);
  const amount = BigInt(unsigned ? text.slice(0, -1) : text);
  if (unsigned) {
    if (amount > uintMax) throw new SyntaxProblem(at, 'invalid uint literal');
    return new Uint(amount);
  }
  if (amount > 2n ** 63n) throw new SyntaxProblem(at, 'invalid int literal');
  return amount;
}
