import { RE2JS } from 're2js';

/*
 * Patterns come from users and run on every write, so they run in linear time and in Go's dialect, which is what the
 * authors of schemas test against.
 */
const lengthMax = 4_096;
const compiled = new Map<string, RE2JS | { readonly problem: string }>();

function compile(pattern: string): RE2JS | { readonly problem: string } {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = compileAfresh(pattern);
  if (compiled.size >= 2_000) compiled.clear();
  compiled.set(pattern, made);
  return made;
}

function compileAfresh(pattern: string): RE2JS | { readonly problem: string } {
  if (pattern.length > lengthMax) return { problem: `longer than ${lengthMax} characters` };
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Why the text is no pattern; undefined when it is one. */
export function patternProblem(pattern: string): string | undefined {
  const made = compile(pattern);
  return made instanceof RE2JS ? undefined : made.problem;
}

/** Whether the pattern is found anywhere in the text. A pattern that does not compile is found nowhere. */
export function matchesPattern(pattern: string, text: string): boolean {
  const made = compile(pattern);
  return made instanceof RE2JS && made.test(text);
}
