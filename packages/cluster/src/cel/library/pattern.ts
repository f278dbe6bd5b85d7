import { RE2JS } from 're2js';

/** Patterns are Go's, and take linear time: they come from users and run on what users send. */
const lengthMax = 4_096;
const knownMax = 500;
const known = new Map<string, Pattern | { readonly problem: string }>();

export interface Pattern {
  test(text: string): boolean;
  find(text: string): string | undefined;
  /** At most as many; all below zero. */
  findAll(text: string, count: number): readonly string[];
}

export function patternOf(source: string): Pattern | { readonly problem: string } {
  let pattern = known.get(source);
  if (pattern === undefined) {
    pattern = compile(source);
    if (known.size >= knownMax) known.clear();
    known.set(source, pattern);
  }
  return pattern;
}

function compile(source: string): Pattern | { readonly problem: string } {
  if (source.length > lengthMax) return { problem: `error parsing regexp: longer than ${lengthMax} characters` };
  try {
    const made = RE2JS.compile(source);
    return {
      test: (text) => made.test(text),
      find: (text) => findAll(made, text, 1)[0],
      findAll: (text, count) => findAll(made, text, count),
    };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function findAll(pattern: RE2JS, text: string, count: number): readonly string[] {
  const matcher = pattern.matcher(text);
  const found: string[] = [];
  while ((count < 0 || found.length < count) && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}
