/** Which program an image name means, as people say it: `PATTERN=PROGRAM`. */
import type { ImageName } from './reference.ts';

export interface ImageRule {
  /** `prometheus`, `grafana/agent`, `quay.io/team/*:v2`. */
  readonly pattern: string;
  /** A name to be found on PATH, or an absolute path. */
  readonly program: string;
}

export type ParsedRules =
  | { readonly ok: true; readonly rules: readonly ImageRule[] }
  | { readonly ok: false; readonly message: string };

/** One line of a file, or one option. */
export function parseImageRule(text: string): ParsedRules {
  const at = text.indexOf('=');
  const pattern = text.slice(0, at).trim();
  const program = text.slice(at + 1).trim();
  if (at < 0 || pattern === '' || program === '')
    return refused(text, 'write PATTERN=PROGRAM, such as grafana/agent=grafana-agent');
  if (/\s/.test(program)) return refused(text, 'a program has no arguments here; name a script that gives them');
  if (program.includes('/') && !program.startsWith('/'))
    return refused(text, 'name a program on PATH, or give its absolute path');
  if (!/^[A-Za-z0-9*._:/-]+$/.test(pattern))
    return refused(text, 'a pattern is the name of an image, with * for any part');
  return { ok: true, rules: [{ pattern, program }] };
}

/** Empty lines and those that begin with `#` are left out. */
export function parseImageRules(text: string): ParsedRules {
  const rules: ImageRule[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.trim().startsWith('#')) continue;
    const parsed = parseImageRule(line.trim());
    if (!parsed.ok) return parsed;
    rules.push(...parsed.rules);
  }
  return { ok: true, rules };
}

function refused(text: string, mend: string): ParsedRules {
  return { ok: false, message: `"${text}" names no program for an image: ${mend}` };
}

/**
 * A pattern is compared with the end of the name, part by part: `agent` is any registry's and anybody's, `grafana/agent` any
 * registry's. Without a tag it is any; a `*` stands for anything within its part.
 */
export function matchesImage(pattern: string, { repository, tag }: ImageName): boolean {
  const slash = pattern.lastIndexOf('/');
  const colon = pattern.indexOf(':', slash + 1);
  const [path, wantedTag] = colon < 0 ? [pattern, '*'] : [pattern.slice(0, colon), pattern.slice(colon + 1)];
  const wanted = path.split('/');
  const parts = repository.split('/');
  if (wanted.length > parts.length) return false;
  const compared = parts.slice(-wanted.length);
  return wanted.every((each, index) => matches(each, compared[index] ?? '')) && matches(wantedTag, tag ?? 'latest');
}

function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
