import { RE2JS } from 're2js';
import { isUnicodeClass } from './unicode-classes.ts';

/** A regular expression as Go's engine has it. */
export interface GoRegex {
  readonly regex: RE2JS;
  /** The names of its groups by their number; one may stand several times. */
  readonly names: readonly (string | undefined)[];
}

/**
 * Compiles what Go's programs compile, and throws on what they refuse. The library reads RE2's dialect with extensions of
 * its own: two groups may share a name in Go and may not there; `(?<name>…)` and classes such as `\p{Emoji}` are taken
 * there, and not by the engine that the released agents and Prometheus have.
 */
export function compileGoRegex(text: string, flags = 0): GoRegex {
  const names: (string | undefined)[] = [undefined];
  let plain = '';
  for (let at = 0; at < text.length; ) {
    const part = partAt(text, at);
    if (part.opens) names.push(part.name);
    // A name that no other group has, so that what stands in the group stays apart from how it begins.
    plain += part.name === undefined ? part.plain : `(?P<g${names.length}>`;
    at += part.length;
  }
  return { regex: RE2JS.compile(plain, flags), names };
}

interface Part {
  readonly length: number;
  /** The part without a group's name. */
  readonly plain: string;
  readonly opens: boolean;
  readonly name?: string;
}

const quoted = /\\Q[\s\S]*?(?:\\E|$)/y;
const escaped = /\\[pP](?:\{[^}]*\}|[^{])|\\[\s\S]?/uy;
const set = /\[\^?\]?(?:\[:\^?\w*:\]|\\[\s\S]|[^\]\\])*\]/y;
const group = /\(\?P?<([^>]*)>/y;
const opening = /\((?!\?)/y;

function partAt(text: string, at: number): Part {
  const literal = matchAt(quoted, text, at);
  if (literal !== undefined) return plainPart(literal[0]);
  const class_ = matchAt(escaped, text, at) ?? matchAt(set, text, at);
  if (class_ !== undefined) {
    checkClasses(class_[0]);
    return plainPart(class_[0]);
  }
  const named = matchAt(group, text, at);
  if (named !== undefined) return { length: named[0].length, plain: '(', opens: true, name: nameOf(named) };
  const isOpening = matchAt(opening, text, at) !== undefined;
  return { length: 1, plain: text[at] ?? '', opens: isOpening };
}

function plainPart(plain: string): Part {
  return { length: plain.length, plain, opens: false };
}

function nameOf([whole, name = '']: RegExpExecArray): string {
  if (!whole.startsWith('(?P')) throw new Error(`a group is named by (?P<${name}>…), not by ${whole}…)`);
  if (!/^\w+$/.test(name)) throw new Error(`invalid group name: \`${whole}\``);
  return name;
}

function checkClasses(text: string): void {
  for (const [whole, braced, letter] of text.matchAll(/\\(?:[pP](?:\{\^?([^}]*)\}|(.))|[\s\S])/gsu)) {
    const name = braced ?? letter;
    if (name !== undefined && !isUnicodeClass(name)) throw new Error(`invalid character class range: \`${whole}\``);
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
