import { Uint, uintMax } from '../values/uint.ts';
import type { Value } from '../values/value.ts';
import { SyntaxProblem } from './problem.ts';
import { readQuoted } from './quoted.ts';

export type Token =
  | { readonly kind: 'identifier' | 'symbol' | 'end'; readonly at: number; readonly text: string }
  | { readonly kind: 'literal'; readonly at: number; readonly text: string; readonly value: Value };

const blank = /(?:[ \t\r\n\f]+|\/\/[^\n]*)+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const float = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const integer = /(0x[0-9a-fA-F]+|\d+)([uU]?)/y;
const quoted = /(?:[rR][bB]?|[bB][rR]?)?(?:"""|'''|"|')/y;
const symbol = /&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()[\]{}]/y;

const literalWords: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Throws a `SyntaxProblem` at what is no token. */
export function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; ; ) {
    at += matched(blank, source, at)?.length ?? 0;
    if (at >= source.length) {
      tokens.push({ kind: 'end', at: source.length, text: '<EOF>' });
      return tokens;
    }
    const token = tokenAt(source, at);
    tokens.push(token);
    at += token.text.length;
  }
}

function tokenAt(source: string, at: number): Token {
  const opening = matched(quoted, source, at);
  if (opening !== undefined) {
    const { value, end } = readQuoted(source, { at, opening });
    return { kind: 'literal', at, text: source.slice(at, end), value };
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
  throw new SyntaxProblem(at, `Syntax error: token recognition error at: '${source.slice(at, at + 1)}'`);
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
