import { RE2JS } from 're2js';
import { compileGoRegex, type GoRegex } from './go-regex.ts';

/** A regular expression that matches the whole of a text. */
export interface Expression {
  matches(text: string): boolean;
  groups(text: string): Groups | undefined;
  /** The first group, where the expression has no other and it holds all that is open; undefined: the text does not match. */
  readonly whatIsOpen?: (text: string) => string | undefined;
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
  const expression = oneGroup(text) ?? oneText(text) ?? plain(text) ?? thorough(text);
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
    whatIsOpen: (text) => (matches(text) ? text.slice(0, text.length - end.length) : undefined),
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

/** The one text that the expression matches, as in `(web);true`; undefined: there may be others. */
export function onlyMatch(expression: string): string | undefined {
  if (!literal.test(expression)) return undefined;
  return expression.replace(/[()]/g, '').replaceAll('\\.', '.');
}

function oneText(expression: string): Expression | undefined {
  const only = onlyMatch(expression);
  if (only === undefined) return undefined;
  return {
    matches: (text) => text === only,
    groups: (text) => (text === only ? (plain(expression) ?? thorough(expression)).groups(text) : undefined),
  };
}

const literal = /^(?:[\w;:/ -]|\\\.|\((?:[\w;:/ -]|\\\.)*\))*$/;

/** Words, dots and groups of words: what Go's engine and JavaScript's read alike. */
const alike = /^(?:[\w;:/ |-]|\\\.|\[0-9\]\+|\.[*+]?|\((?:\?:)?(?:[\w;:/ |-]|\\\.|\.[*+]?)*\))*$/;
/** In a longer text JavaScript's engine could take its time: it goes back and tries again. */
const lengthMax = 512;

/** There are few ways to go on from each place; a list of words alone is gone through once. */
function isQuick(expression: string): boolean {
  const count = (pattern: RegExp): number => expression.match(pattern)?.length ?? 0;
  const [ends, choices, groups] = [count(/[*+]/g), count(/\|/g), count(/\(/g)];
  return (ends === 0 && groups <= 1) || (ends <= 2 && choices <= 3 && groups <= 3);
}

function plain(expression: string): Expression | undefined {
  if (expression.length >= longLength || !alike.test(expression) || !isQuick(expression)) return undefined;
  const quick = new RegExp(`^(?:${expression})$`, 'su');
  let engine: Expression | undefined;
  const slow = (): Expression => {
    engine ??= thorough(expression);
    return engine;
  };
  return {
    matches: (text) => (text.length > lengthMax ? slow().matches(text) : quick.test(text)),
    groups(text) {
      if (text.length > lengthMax) return slow().groups(text);
      const found = quick.exec(text);
      return found === null
        ? undefined
        : { get: (name) => (isNumber.test(name) ? groupIn(found, Number(name)) : undefined) };
    },
  };
}

const isNumber = /^(?:0|[1-9]\d*)$/;

/** One that took no part is empty. */
function groupIn(found: RegExpExecArray, index: number): string | undefined {
  return index < found.length ? (found[index] ?? '') : undefined;
}

/** Long lists cost most, and are asked about the same few texts: which shard has which slot. */
const longLength = 256;
const answersMax = 16_384;

function thorough(expression: string): Expression {
  const compiledRegex = compileGoRegex(expression, RE2JS.DOTALL);
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
