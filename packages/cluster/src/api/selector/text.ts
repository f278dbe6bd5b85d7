import { labelValueProblems, qualifiedNameProblems } from '../names.ts';
import { badRequest, StatusError } from '../status.ts';
import { type LabelMatcher, matcherOf, type Requirement } from './requirement.ts';

/*
 * Selectors as text, as they stand in the query of a list or watch:
 *   labels   a=b,c==d,e!=f,g in (x,y),h notin (z),i,!j,k>1,l<2
 *   fields   metadata.name=x,status.phase!=Running       with \, \= and \\ as escapes
 */
const textLengthMax = 16_384;

/** A label selector as a function. Throws 400 for text that is none. */
export function parseLabelSelector(text: string): LabelMatcher {
  return matcherOf(parseRequirements(text));
}

/** The conditions of a label selector. Throws 400 for text that is none. */
export function parseRequirements(text: string): readonly Requirement[] {
  if (text.length > textLengthMax) throw unreadable(`the selector is longer than ${textLengthMax} characters`);
  const reader = new Reader(text);
  const requirements: Requirement[] = [];
  if (reader.peek() === '') return requirements;
  for (;;) {
    requirements.push(checked(requirement(reader)));
    const next = reader.take();
    if (next === '') return requirements;
    if (next !== ',') throw misplaced(`found '${next}', expected: ',' or 'end of string'`);
    if (reader.peek() === '') throw misplaced(`found '', expected: identifier after ','`);
  }
}

/** Cuts the text into words and signs; the end is the empty string. */
class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/==|!=|[=!,()<>]|[^\s=!,()<>]+/g) ?? [];
  }

  peek(ahead = 0): string {
    return this.#tokens[this.#at + ahead] ?? '';
  }

  take(): string {
    const token = this.peek();
    this.#at++;
    return token;
  }
}

function requirement(reader: Reader): Requirement {
  if (reader.peek() === ',') throw misplaced("found ',', expected: !, identifier, or 'end of string'");
  const absent = reader.peek() === '!';
  if (absent) reader.take();
  const key = reader.take();
  if (key === '' || isSign(key)) throw unreadable(`found '${key}', expected: !, identifier, or 'end of string'`);
  if (absent) return { key, operator: 'DoesNotExist' };
  const operator = reader.peek();
  switch (operator) {
    case '':
    case ',':
      return { key, operator: 'Exists' };
    case 'in':
    case 'notin':
      reader.take();
      return { key, operator: operator === 'in' ? 'In' : 'NotIn', values: set(reader) };
    case '=':
    case '==':
    case '!=':
      reader.take();
      return { key, operator: operator === '!=' ? 'NotIn' : 'In', values: [exact(reader)] };
    case '>':
    case '<':
      reader.take();
      return { key, operator: operator === '>' ? 'Gt' : 'Lt', values: [exact(reader)] };
    default:
      throw unreadable(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

/** `a=` asks for the empty value. */
function exact(reader: Reader): string {
  const next = reader.peek();
  if (next === '' || next === ',') return '';
  if (isSign(next)) throw unreadable(`found '${next}', expected: identifier`);
  return reader.take();
}

function set(reader: Reader): readonly string[] {
  const open = reader.take();
  if (open !== '(') throw unreadable(`found '${open}' expected: '('`);
  const values: string[] = [];
  for (;;) {
    const value = reader.peek();
    const isLeftOut = value === ',' || value === ')';
    if (value === '' || (isSign(value) && !isLeftOut))
      throw unreadable(`found '${value}', expected: ${values.length === 0 ? "',', ')'" : "',',"} or identifier`);
    values.push(isLeftOut ? '' : reader.take());
    const next = reader.take();
    if (next === ')') return values;
    if (next !== ',') throw unreadable(`found '${next}', expected: ',' or ')'`);
  }
}

function isSign(token: string): boolean {
  return /^[=!,()<>]/.test(token);
}

function checked(requirement: Requirement): Requirement {
  const { key, operator, values = [] } = requirement;
  for (const problem of qualifiedNameProblems(key)) throw unreadable(`<nil>: Invalid value: "${key}": ${problem}`);
  for (const [index, value] of values.entries()) {
    const place = `values[${index}][${key}]: Invalid value: "${value}"`;
    if (operator === 'Gt' || operator === 'Lt') {
      if (!/^[+-]?\d{1,19}$/.test(value))
        throw unreadable(
          `values[${index}]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`,
        );
    } else {
      for (const problem of labelValueProblems(value)) throw unreadable(`${place}: ${problem}`);
    }
  }
  return requirement;
}

/** Between two requirements. */
function misplaced(why: string): StatusError {
  return new StatusError(badRequest(why));
}

function unreadable(why: string): StatusError {
  return new StatusError(badRequest(`unable to parse requirement: ${why}`));
}

/** One condition on one field. */
export interface FieldRequirement {
  readonly path: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** The conditions of a field selector. Whether a path can be selected is the resource's matter. Throws 400. */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  if (text.length > textLengthMax) throw unknownField('(too long)');
  return (
    terms(text)
      // As upstream: a sign with nothing on either side asks for nothing.
      .filter((term) => !/^(?:|==?)$/.test(term))
      .map((term) => {
        const parts = /^([^=!]+?)\s*(==|!=|=)(.*)$/s.exec(term);
        if (parts === null) throw unknownField(text, term);
        const [, path = '', sign, value = ''] = parts;
        return { path: path.trim(), operator: sign === '!=' ? '!=' : '=', value: withoutEscapes(value, text) };
      })
  );
}

/** Splits at commas that no backslash escapes. */
function terms(text: string): readonly string[] {
  const found: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ',') {
      found.push(text.slice(start, at));
      start = at + 1;
    }
  }
  found.push(text.slice(start));
  return found;
}

function withoutEscapes(value: string, text: string): string {
  const [, odd] = /\\([^\\,=]|$)/.exec(value.replace(/\\[\\,=]/g, '')) ?? [];
  if (odd !== undefined) throw new StatusError(badRequest(`invalid field selector: invalid escape sequence: \\${odd}`));
  if (!/^(?:[^\\=]|\\[\\,=])*$/.test(value)) throw unknownField(text, value);
  return value.replace(/\\([\\,=])/g, '$1');
}

function unknownField(text: string, term: string = text): StatusError {
  return new StatusError(badRequest(`invalid selector: '${text}'; can't understand '${term}'`));
}
