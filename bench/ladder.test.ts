import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawLadder, parseSizes, recordedMedians } from './ladder.ts';

const line = (figures: Readonly<Record<string, number>>): string =>
  JSON.stringify({
    at: '2026-01-01T00:00:00.000Z',
    figures: Object.fromEntries(
      Object.entries(figures).map(([name, median]) => [name, { median, least: median, most: median }]),
    ),
  });

test('a size that was climbed several times is drawn as it was the last time', () => {
  const history = [
    line({ 'ladder-500: create s': 3, 'ladder-5000: create s': 30, 'start: idle MB': 100 }),
    line({ 'ladder-500: create s': 1 }),
    '',
  ].join('\n');
  expect([...recordedMedians(history)]).toEqual([
    ['ladder-500: create s', 1],
    ['ladder-5000: create s', 30],
  ]);
});

test('each size is a dot of each line, and other figures are none', () => {
  const medians = new Map([
    ['ladder-500: create s', 1],
    ['ladder-5000: create s', 3],
    ['ladder-5000: most MB', 700],
    ['ladder-5000: idle CPU %', 3],
    ['ladder-5000: something else', 9],
  ]);
  const svg = drawLadder(medians, 'a machine');
  expect(svg.match(/<circle/g)).toHaveLength(4);
  expect(svg).toContain('a machine');
});

test.each([
  ['500', [500]],
  ['500,5000', [500, 5_000]],
  ['', undefined],
  ['500,', undefined],
  ['5e2x', undefined],
  ['-1', undefined],
])('sizes %j are %j', (text, expected) => {
  expect(parseSizes(text)).toEqual(expected);
});

test('the chart in docs has a dot for every size that is recorded', () => {
  const root = join(import.meta.dirname, '..');
  const medians = recordedMedians(readFileSync(join(root, 'bench/history.jsonl'), 'utf8'));
  const dots = (svg: string): number => svg.match(/<circle/g)?.length ?? 0;
  expect(dots(readFileSync(join(root, 'docs/ladder.svg'), 'utf8'))).toBe(dots(drawLadder(medians, '')));
});
