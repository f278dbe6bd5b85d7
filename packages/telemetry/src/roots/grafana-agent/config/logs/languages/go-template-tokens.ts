/** The words of Go's text/template, as its own lexer tells them apart. Text outside `{{…}}` has no meaning and is left out. */

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

export type TokenKind =
  | 'assign'
  | 'bool'
  | 'char'
  | 'close'
  | 'comma'
  | 'declare'
  | 'dot'
  | 'end'
  | 'field'
  | 'identifier'
  | 'keyword'
  | 'number'
  | 'open'
  | 'pipe'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | '('
  | ')';

export class TemplateProblem extends Error {}

const keywords: ReadonlySet<string> = new Set([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
]);

/** Throws a {@link TemplateProblem} where the text is none. */
export function* templateTokens(text: string): Iterable<Token> {
  for (let at = 0; ; ) {
    const start = text.indexOf('{{', at);
    if (start < 0) {
      yield { kind: 'text', text: text.slice(at) };
      break;
    }
    if (start > at) yield { kind: 'text', text: text.slice(at, start) };
    const inside = start + 2 + (trimBefore.exec(text.slice(start + 2, start + 4)) === null ? 0 : 1);
    const comment = commentEnd(text, trimmed(text, inside));
    if (comment !== undefined) {
      at = comment;
      continue;
    }
    yield { kind: 'open', text: '{{' };
    at = yield* action(text, inside);
  }
  yield { kind: 'end', text: 'the end' };
}

const trimBefore = /^-[ \t\r\n]/;

/** The trim marker's blank does not belong to it, but a comment may stand right behind it. */
function trimmed(text: string, at: number): number {
  return text[at - 1] === '-' ? at + 1 : at;
}

/** Undefined: there is no comment. */
function commentEnd(text: string, at: number): number | undefined {
  if (!text.startsWith('/*', at)) return undefined;
  const end = text.indexOf('*/', at + 2);
  if (end < 0) throw new TemplateProblem('a comment is not closed');
  const after = /^(?:[ \t\r\n]-)?\}\}/.exec(text.slice(end + 2, end + 6));
  if (after === null) throw new TemplateProblem('a comment has to fill its {{…}}');
  return end + 2 + after[0].length;
}

const closing = /(?:[ \t\r\n]-)?\}\}/y;
const words: readonly (readonly [TokenKind, RegExp])[] = [
  ['space', /[ \t\r\n]+?(?=[ \t\r\n]-\}\}|[^ \t\r\n]|$)/y],
  ['declare', /:=/y],
  ['assign', /=/y],
  ['pipe', /\|/y],
  ['comma', /,/y],
  ['(', /\(/y],
  [')', /\)/y],
  ['string', /"(?:[^"\\\n]|\\[^\n])*"/y],
  ['string', /`[^`]*`/y],
  ['char', /'(?:[^'\\\n]|\\[^\n])*'/y],
  ['number', /[+-]?(?:\d|\.\d)[\p{L}\p{Nd}_.]*(?:(?<=[eE])[+-]\d[\p{L}\p{Nd}_]*)?(?:[+-][\d.][\p{L}\p{Nd}_.]*)?/uy],
  ['field', /\.[\p{L}\p{Nd}_]+/uy],
  ['dot', /\./y],
  ['variable', /\$[\p{L}\p{Nd}_]*/uy],
  ['identifier', /[\p{L}\p{Nd}_]+/uy],
];

/** What may stand right behind a name. */
const terminator = /[ \t\r\n.,|:()]|\}\}|$/y;

function* action(text: string, from: number): Generator<Token, number> {
  let parentheses = 0;
  for (let at = from; ; ) {
    const end = matchAt(closing, text, at);
    if (end !== undefined && parentheses > 0) throw new TemplateProblem('a "(" is not closed');
    if (end !== undefined) {
      yield { kind: 'close', text: '}}' };
      return at + end.length;
    }
    if (at >= text.length) throw new TemplateProblem('a {{ is not closed');
    const token = wordAt(text, at);
    at += token.text.length;
    if (token.kind === '(') parentheses += 1;
    if (token.kind === ')' && --parentheses < 0) throw new TemplateProblem('a ")" closes nothing');
    yield token;
  }
}

function wordAt(text: string, at: number): Token {
  for (const [kind, pattern] of words) {
    const found = matchAt(pattern, text, at);
    if (found === undefined) continue;
    const ends = kind === 'field' || kind === 'variable' || kind === 'identifier' || kind === 'dot';
    if (ends && matchAt(terminator, text, at + found.length) === undefined) break;
    return { kind: kind === 'identifier' ? identifierKind(found) : kind, text: found };
  }
  throw new TemplateProblem(`unexpected ${JSON.stringify(text.slice(at, at + 10))}`);
}

function identifierKind(text: string): TokenKind {
  if (keywords.has(text)) return 'keyword';
  return text === 'true' || text === 'false' ? 'bool' : 'identifier';
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
