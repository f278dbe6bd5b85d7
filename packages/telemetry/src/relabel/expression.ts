import { RE2JS } from 're2js';
import { compileGoRegex, type GoRegex } from './go-regex.ts';

/** A regular expression that matches the whole of a text. */
export interface Expression {
  matches(text: string): boolean;
  groups(text: string): Groups | undefined;
}

/** Groups by number and name. */
export interface Groups {
  get(name: string): string | undefined;
}

const compiledMax = 1_024;
const cache = new Map<string, Expression>();

/** The expression, as it was compiled last time. */
export function compiled(text: string): Expression {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (cache.size >= compiledMax) cache.clear();
  const expression = oneGroup(text) ?? remembering(text, compileGoRegex(text, RE2JS.DOTALL));
  cache.set(text, expression);
  return expression;
}

/** What most rules say needs no engine: everything, or everything before a fixed end, as in `(.*)` and `(.+);`. */
function oneGroup(expression: string): Expression | undefined {
  const [, amount, end = ''] = /^\(\.([*+])\)([\w;:/ -]*)$/.exec(expression) ?? [];
  if (amount === undefined) return undefined;
  const lengthMin = end.length + (amount === '+' ? 1 : 0);
  const matches = (text: string): boolean => text.length >= lengthMin && text.endsWith(end);
  return {
    matches,
    groups: (text) =>
      matches(text)
        ? {
            get: (name) => {
              if (name === '1') return text.slice(0, text.length - end.length);
              return name === '0' ? text : undefined;
            },
          }
        : undefined,
  };
}

/** Long lists cost most, and are asked about the same few texts: which shard has which slot. */
const longLength = 256;
const answersMax = 16_384;

function remembering(expression: string, compiledRegex: GoRegex): Expression {
  const matches = (text: string): boolean => compiledRegex.regex.matches(text);
  const groups = (text: string): Groups | undefined => groupsOf(compiledRegex, text);
  if (expression.length < longLength) return { matches, groups };
  const answers = new Map<string, boolean>();
  return {
    groups,
    matches(text) {
      const known = answers.get(text);
      if (known !== undefined) return known;
      if (answers.size >= answersMax) answers.clear();
      const answer = matches(text);
      answers.set(text, answer);
      return answer;
    },
  };
}

/** Groups by number and name; undefined when the text does not match. */
function groupsOf({ regex, names }: GoRegex, text: string): Groups | undefined {
  const matcher = regex.matcher(text);
  if (!matcher.matches()) return undefined;
  const groups = new Map<string, string>();
  for (let index = 0; index <= matcher.groupCount(); index++) groups.set(String(index), matcher.group(index) ?? '');
  // Of several groups with one name the first that took part counts.
  for (const [index, name] of names.entries()) {
    const found = matcher.group(index) ?? undefined;
    if (name !== undefined && found !== undefined && !groups.has(name)) groups.set(name, found);
  }
  return groups;
}
