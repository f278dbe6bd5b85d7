import { describe, expect, test } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { type BodyFormat, parseBody } from './codec/body.ts';

/*
 * Three megabytes that say as much as they can. Each took between half a second and forever. The limit is the processor's
 * own time, so that a busy computer does not matter, and generous: what has to be found took ten times as long.
 */
const bytesMax = 3 * 1024 * 1024;
const cpuMsMax = 1_000;

function filled(unit: string, before = '', after = ''): string {
  return before + unit.repeat(Math.floor((bytesMax - before.length - after.length) / unit.length)) + after;
}

function numbered(line: (index: number) => string): string {
  const lines: string[] = [];
  for (let size = 0, index = 0; size < bytesMax - 40; index++) size += lines[lines.push(line(index)) - 1]?.length ?? 0;
  return lines.join('');
}

function fieldsOfOne(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`field-${index}`, 'v'])));
}

function outcome(text: string, format: BodyFormat): { readonly cpuMs: number; readonly said: string } {
  const bytes = Buffer.from(text);
  const started = process.cpuUsage();
  let said = 'read';
  try {
    parseBody(bytes, format);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    said = `${error.status.code} ${error.message}`;
  }
  return { cpuMs: process.cpuUsage(started).user / 1_000, said };
}

const tooMuch = /^413 Request entity too large: the YAML holds too many lines and values; send it as JSON/;

describe('no YAML body takes long', () => {
  test.each<[string, string, RegExp]>([
    ['items', filled('- a\n'), tooMuch],
    ['flow items', filled('a,', '[', 'a]'), /^413 /],
    ['keys', numbered((index) => `k${index}: v\n`), tooMuch],
    ['documents', filled('---\na\n'), tooMuch],
    ['empty lines', filled('\n'), tooMuch],
    ['items without a value', filled('-\n'), tooMuch],
    ['pairs in a list', filled('a: ,', '[', ']'), /^413 /],
    ['carriage returns', filled('\r'), tooMuch],
    ['a rule of hashes', `${'#'.repeat(80)}\nx: 1`, /^read$/],
    ['many rules of hashes', `${`${'#'.repeat(80)}\n`.repeat(1_000)}x: 1`, /^read$/],
    ['nothing but hashes', filled('#'), /^400 the request needs a body/],
    ['spaces', filled(' '), /^400 the request needs a body/],
    ['a long number', filled('1', 'x: '), /^read$/],
    ['a number with lines in it', filled('1_', 'x: '), /^read$/],
    ['a long word', filled('a', 'x: '), /^read$/],
    ['brackets', filled('['), /^400 |^413 /],
  ])('%s', (_, text, expected) => {
    const { cpuMs, said } = outcome(text, 'yaml');
    expect(said).toMatch(expected);
    expect(cpuMs).toBeLessThan(cpuMsMax);
  });
});

describe('no JSON body takes long, or much memory', () => {
  test.each<[string, string, RegExp]>([
    ['brackets', filled('[],', '[', '[]]'), /^413 Request entity too large: limit is 80000 values/],
    ['fields', `{${numbered((index) => `"${index}":1,`)}"a":1}`, /^413 /],
    ['fields of one object', fieldsOfOne(21_000), /^413 /],
    ['as many fields of one object as may be', fieldsOfOne(20_000), /^read$/],
    ['as many items as may be', `[${'{"a":1},'.repeat(39_990)}1]`, /^read$/],
    ['depth', filled('['), /^400 .*exceeded max depth of 512/],
    [
      'a field that stands there again and again, deep inside',
      `${'{"a":'.repeat(500)}{${'"b":1,'.repeat(19_000)}"b":1}${'}'.repeat(500)}`,
      /^read$/,
    ],
    ['spaces behind a key', `{"a"${' '.repeat(bytesMax - 10)}:1}`, /^read$/],
    ['a long string', filled('\\n', '"', '"'), /^read$/],
  ])('%s', (_, text, expected) => {
    const { cpuMs, said } = outcome(text, 'json');
    expect(said).toMatch(expected);
    expect(cpuMs).toBeLessThan(cpuMsMax);
  });

  test('of many duplicates the first hundred are named', () => {
    const { flaws } = parseBody(Buffer.from(`{${'"b":1,'.repeat(9_000)}"b":1}`), 'json');
    expect(flaws).toHaveLength(100);
  });
});
