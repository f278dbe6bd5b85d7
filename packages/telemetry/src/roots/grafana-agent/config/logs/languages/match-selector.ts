/*
 * What Promtail's `match` stage takes: a stream selector with line filters behind it, in a small language of its own
 * (clients/pkg/logentry/logql) that Loki's has long left behind: no parsers, no backquotes, no empty selector.
 */
import { regexProblem } from '../../../../../relabel/regex.ts';
import { goString } from './go-literal.ts';

/** Why the text is no selector of a `match` stage; undefined: it is one. */
export function matchSelectorProblem(text: string): string | undefined {
  const tokens = tokensOf(text);
  if (typeof tokens === 'string') return tokens;
  const closing = tokens.findIndex(({ kind }) => kind === '}');
  if (tokens[0]?.kind !== '{' || closing < 0) return 'it needs a selector such as {app="web"}';
  return matchersProblem(tokens.slice(1, closing)) ?? filtersProblem(tokens.slice(closing + 1));
}

interface Token {
  /** A sign stands for itself. */
  readonly kind: string;
  readonly text: string;
}

const skipped = /(?:[ \t\n\r]+|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/y;
const patterns: readonly (readonly [kind: string, RegExp])[] = [
  ['string', /"(?:[^"\\\n]|\\[^\n])*"/y],
  ['name', /[\p{L}_][\p{L}\p{Nd}_]*|\d+(?![\w.])/uy],
  ['sign', /!=|=~|!~|\|=|\|~|[{}=,]/y],
];

/** A text: what is not of the language. */
function tokensOf(text: string): readonly Token[] | string {
  const tokens: Token[] = [];
  for (let at = 0; ; ) {
    at += matchAt(skipped, text, at)?.length ?? 0;
    if (at >= text.length) return tokens;
    const token = tokenAt(text, at);
    if (token === undefined) return `unexpected ${JSON.stringify(text.slice(at, at + 10))}`;
    tokens.push(token);
    at += token.text.length;
  }
}

function tokenAt(text: string, at: number): Token | undefined {
  for (const [kind, pattern] of patterns) {
    const found = matchAt(pattern, text, at);
    if (found !== undefined) return { kind: kind === 'sign' ? found : kind, text: found };
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

const comparisons: ReadonlySet<string> = new Set(['=', '!=', '=~', '!~']);
const filters: ReadonlySet<string> = new Set(['|=', '!=', '|~', '!~']);

function matchersProblem(tokens: readonly Token[]): string | undefined {
  for (let at = 0; ; at += 4) {
    const [name, sign, value, comma] = tokens.slice(at, at + 4);
    if (name?.kind !== 'name') return `expected a label name, found ${name?.text ?? '"}"'}`;
    if (!comparisons.has(sign?.kind ?? '')) return `expected =, !=, =~ or !~ behind ${name.text}`;
    const problem = valueProblem(value, sign?.kind);
    if (problem !== undefined) return problem;
    if (comma === undefined) return undefined;
    if (comma.kind !== ',') return `expected "," or "}", found ${comma.text}`;
  }
}

function filtersProblem(tokens: readonly Token[]): string | undefined {
  for (let at = 0; at < tokens.length; at += 2) {
    const [sign, value] = tokens.slice(at, at + 2);
    if (!filters.has(sign?.kind ?? '')) return `expected |=, !=, |~ or !~, found ${sign?.text}`;
    const problem = valueProblem(value, sign?.kind);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function valueProblem(value: Token | undefined, sign = ''): string | undefined {
  const text = value?.kind === 'string' ? goString(value.text) : undefined;
  if (text === undefined) return `expected a text in double quotes behind ${sign}, found ${value?.text ?? 'nothing'}`;
  const problem = sign.endsWith('~') ? regexProblem(text) : undefined;
  return problem === undefined ? undefined : `${value?.text} is no regular expression of RE2: ${problem}`;
}
