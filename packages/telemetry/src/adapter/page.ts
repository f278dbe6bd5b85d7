/**
 * The sums of some metrics over all of their label sets, from a page in the Prometheus text format (0.0.4) or OpenMetrics.
 * Only those that are on the page; lines that say something else are passed over. Pure.
 */
export function sumsOnPage(page: string, names: ReadonlySet<string>): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (let start = 0; start < page.length; ) {
    const found = page.indexOf('\n', start);
    const end = found < 0 ? page.length : found;
    const name = nameAt(page, start, end);
    if (name !== '' && names.has(name)) {
      const value = valueIn(page.slice(start + name.length, end));
      if (value !== undefined) sums.set(name, (sums.get(name) ?? 0) + value);
    }
    start = end + 1;
  }
  return sums;
}

function nameAt(page: string, start: number, end: number): string {
  let at = start;
  while (at < end && !endsName.has(page[at] ?? '')) at += 1;
  return page.slice(start, at);
}

const endsName: ReadonlySet<string> = new Set(['{', ' ', '\t', '\r', '#']);

/** `{a="b"} 5 1700000000000`: the labels' texts may have spaces and braces in them. */
function valueIn(rest: string): number | undefined {
  const labels = /^\s*\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\}/.exec(rest)?.[0] ?? '';
  const [word] = rest.slice(labels.length).trim().split(/\s+/, 1);
  if (word === undefined || word === '') return undefined;
  const value = Number(word);
  return Number.isFinite(value) ? value : undefined;
}
