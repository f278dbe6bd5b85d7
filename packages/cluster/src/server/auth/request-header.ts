/** Requests that a proxy in front hands over: whom it says that asks, in headers that count from nobody else. Pure. */
import type { RequestHeaderTerms } from '../../api/front-proxy.ts';
import type { User } from '../../api/operation.ts';

/** Names and values in turns, as Node has read them. */
type HeaderLines = readonly string[];

/** Undefined: the proxy names nobody. */
export function headerUser(lines: HeaderLines, terms: RequestHeaderTerms): User | undefined {
  const first = (names: readonly string[]): string | undefined =>
    names.flatMap((name) => valuesOf(lines, name).slice(0, 1)).find((value) => value !== '');
  const name = first(terms.usernameHeaders);
  if (name === undefined) return undefined;
  const uid = first(terms.uidHeaders);
  const extra = extraOf(lines, terms.extraPrefixes);
  return {
    name,
    groups: terms.groupHeaders.flatMap((header) => valuesOf(lines, header)).filter((value) => value !== ''),
    ...(uid !== undefined && { uid }),
    ...(extra !== undefined && { extra }),
  };
}

/** Whether a header is one that says who asks. Whoever sent it, it goes no further. */
export function isIdentityHeader(name: string, terms: RequestHeaderTerms): boolean {
  const { usernameHeaders, uidHeaders, groupHeaders, extraPrefixes } = terms;
  const header = name.toLowerCase();
  return (
    [usernameHeaders, uidHeaders, groupHeaders].some((names) => names.some((each) => each.toLowerCase() === header)) ||
    extraPrefixes.some((prefix) => header.startsWith(prefix.toLowerCase()))
  );
}

function valuesOf(lines: HeaderLines, name: string): readonly string[] {
  const header = name.toLowerCase();
  return lines.filter((_, index) => index % 2 === 1 && lines[index - 1]?.toLowerCase() === header);
}

function extraOf(
  lines: HeaderLines,
  prefixes: readonly string[],
): Readonly<Record<string, readonly string[]>> | undefined {
  const found = new Map<string, string[]>();
  for (const prefix of prefixes.map((each) => each.toLowerCase()))
    for (const [index, line] of lines.entries()) {
      const header = line.toLowerCase();
      if (index % 2 === 1 || !header.startsWith(prefix)) continue;
      const key = unescapedKey(header.slice(prefix.length));
      found.set(key, [...(found.get(key) ?? []), lines[index + 1] ?? '']);
    }
  return found.size === 0 ? undefined : Object.fromEntries(found);
}

/** Keys may hold what no header's name can; they are then written as in an address. */
export function unescapedKey(key: string): string {
  try {
    return decodeURIComponent(key).toLowerCase();
  } catch {
    return key;
  }
}
