import { endOfNumber, endOfString } from '../../base/exact-json.ts';
import { plainPath } from '../issue.ts';

/*
 * Two passes over JSON text that `JSON.parse` cannot do. Neither recurses, so no input overflows the stack. The first
 * runs before parsing and does not judge syntax; the second runs after, on text known to be valid.
 */
const quote = 0x22;

export interface ScanLimits {
  readonly depthMax: number;
  /** Fields beyond the thousandth of one object count four times. */
  readonly valuesMax: number;
}

export const tooManyValues = 'too many values';

/** From so many on the engine keeps an object's fields as a table, and each costs whoever works with it as much as four others. */
const fieldsCheap = 1_000;
const dearField = 4;

/** What speaks against parsing the text: depth, values, or a number that nothing can hold. Undefined when nothing does. */
export function scanJson(text: string, { depthMax, valuesMax }: ScanLimits): string | undefined {
  let depth = 0;
  let values = 0;
  /** How many members there are on the levels above, and on this one. */
  const outer: number[] = [];
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > depthMax) return `exceeded max depth of ${depthMax}`;
      if (++values > valuesMax) return tooManyValues;
      outer.push(members);
      // Items of a list are never dear.
      members = code === 0x5b ? Number.NEGATIVE_INFINITY : 0;
    } else if (code === 0x2c) {
      values += ++members > fieldsCheap ? dearField : 1;
      if (values > valuesMax) return tooManyValues;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
      members = outer.pop() ?? 0;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const end = endOfNumber(text, at);
      // Shorter ones without an exponent are exact.
      if (end - at > 3) {
        const problem = numberProblem(text.slice(at, end));
        if (problem !== undefined) return problem;
      }
      at = end - 1;
    }
  }
  return undefined;
}

function numberProblem(token: string): string | undefined {
  const number = Number(token);
  const shown = token.length > 32 ? `${token.slice(0, 32)}…` : token;
  // Not a number at all is a matter of syntax, and for the parser.
  if (Number.isNaN(number)) return undefined;
  if (!Number.isFinite(number)) return `number ${shown} is out of range`;
  return undefined;
}

interface Level {
  readonly keys: Set<string> | undefined;
  /** The key or index of the part that is being read. */
  step: string | number;
}

/** Whoever has so many learns nothing from more. */
const duplicatesMax = 100;
/** Paths may be as long as the text, and there may be many. */
const duplicateCharactersMax = 64 * 1024;

/** Paths of the fields that stand twice in one object, in valid JSON text: the first hundred. */
export function duplicateFields(text: string): readonly string[] {
  const found: string[] = [];
  let foundCharacters = 0;
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    switch (text[at]) {
      case '{':
        levels.push({ keys: new Set(), step: '' });
        break;
      case '[':
        levels.push({ keys: undefined, step: 0 });
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (level !== undefined && typeof level.step === 'number') level.step++;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (level?.keys !== undefined && isKey(text, end)) {
          level.step = JSON.parse(text.slice(at, end + 1)) as string;
          if (level.keys.has(level.step)) {
            const path = plainPath(levels.map(({ step }) => step));
            found.push(path);
            foundCharacters += path.length;
            if (found.length >= duplicatesMax || foundCharacters > duplicateCharactersMax) return found;
          }
          level.keys.add(level.step);
        }
        at = end;
        break;
      }
      default:
    }
  }
  return found;
}

function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text[at] === ':';
}
