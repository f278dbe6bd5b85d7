import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { referenceFolder, referencePages } from './pages.ts';
import { headingOf } from './table.ts';

const pages = referencePages();

test('the committed pages are those of the texts: `npm run docs` writes them', () => {
  expect(readdirSync(referenceFolder).sort()).toEqual([...pages.keys()].sort());
  for (const [file, text] of pages) expect(readFileSync(join(referenceFolder, file), 'utf8')).toBe(text);
});

test('every link leads to a heading', () => {
  const anchors = [...pages].flatMap(([file, text]) =>
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => `${file}#${headingOf(title)}`),
  );
  const links = [...pages].flatMap(([file, text]) =>
    [...text.matchAll(/\]\(([\w.]*)(#[\w-]+)\)/g)].map(([, page, anchor]) => `${page || file}${anchor}`),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
  expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([]);
});

test('a field has its type, its text, its values, and what is in it has a place of its own', () => {
  const page = pages.get('Prometheus.md') ?? '';
  expect(page).toContain('| `evaluationInterval` | string | How often rules are evaluated. Default 30s.');
  expect(page).toContain('| `scrapeClasses` | list of [ScrapeClass](types.md#scrapeclass) |');
  expect(page).toContain('| `rules` | [object](#specrules) |');
  expect(page).toContain('## spec.rules.alert');
  expect(page).toContain('Needs Prometheus 2.53.');
  const row = (field: string): string | undefined =>
    page.split('\n').find((line) => line.startsWith(`| \`${field}\` |`));
  // Said once, by the text or after it.
  expect(row('logFormat')).toBe('| `logFormat` | string | logfmt (default) or json. |');
  expect(row('shards')).toMatch(/Default 1\. Also what an autoscaler writes\. \|$/);
  expect(row('dnsPolicy')).toContain('Values: `ClusterFirstWithHostNet`');
  expect(pages.get('types.md')).toContain('| `key` | string | **Required.** Which of its keys. |');
});
