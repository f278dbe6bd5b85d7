import { crc32, gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { combinedCrc } from './crc.ts';
import { createGzip } from './gzip.ts';

const job = (index: number, interval = '30s'): string =>
  `- job_name: serviceMonitor/team-${index % 7}/web-${index}/0\n  scrape_interval: ${interval}\n  regex: (web-${index});true\n`;
const jobs = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => job(index));

const pieces = fc.array(
  fc.oneof(
    fc.nat(300).map((index) => job(index)),
    fc.string({ unit: 'grapheme' }),
  ),
  {
    maxLength: 300,
  },
);

test('what is read is what was written, by every reader of gzip, however often', () => {
  const zip = createGzip();
  fc.assert(
    fc.property(pieces, (texts) => {
      expect(gunzipSync(zip('a', texts)).toString('utf8')).toBe(Buffer.from(texts.join(''), 'utf8').toString('utf8'));
    }),
  );
});

test('what is remembered makes no difference to the bytes', () => {
  const zip = createGzip();
  fc.assert(
    fc.property(pieces, (texts) => {
      expect(zip('a', texts).equals(createGzip()('b', texts))).toBe(true);
    }),
  );
});

test('one piece that changes, comes or goes leaves most bytes as they were', () => {
  const zip = createGzip();
  const all = jobs(2_000);
  const before = zip('a', all);
  for (const after of [
    all.with(1_000, job(1_000, '5m')),
    all.toSpliced(1_000, 1),
    all.toSpliced(1_000, 0, job(5_000)),
  ]) {
    const bytes = zip('a', after);
    let start = 0;
    while (bytes[start] === before[start]) start++;
    let end = 0;
    // The check sum and the length at the end are those of the whole.
    while (bytes.at(-9 - end) === before.at(-9 - end)) end++;
    expect(start + end).toBeGreaterThan(before.length * 0.8);
  }
});

test('parts cost little room', () => {
  const all = jobs(5_000);
  expect(createGzip()('a', all).length).toBeLessThan(gzipSync(all.join('')).length * 1.2);
});

test('check sums combine to that of the whole', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array({ maxLength: 5_000 }), (a, b) => {
      expect(combinedCrc(crc32(a), crc32(b), b.length)).toBe(crc32(Buffer.concat([a, b])));
    }),
  );
  const zeros = Buffer.alloc(3_000_000);
  expect(combinedCrc(7, crc32(zeros), zeros.length)).toBe(crc32(zeros, 7));
});
