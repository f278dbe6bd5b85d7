import { describe, expect, test } from 'vitest';
import { apart, drawChart } from './chart.ts';

const chart = (points: readonly (readonly [number, number])[]): string =>
  drawChart({
    title: 'a < b & "c"',
    xTitle: 'nodes',
    note: 'measured',
    panels: [{ title: 'seconds', series: [{ name: 'create', points: points.map(([x, y]) => ({ x, y })) }] }],
  });

const numbersOf = (svg: string, pattern: RegExp): readonly number[] =>
  [...svg.matchAll(pattern)].map(([, n]) => Number(n));

describe('a chart', () => {
  test('has a dot for each point, and steps alike wherever it grows alike', () => {
    const svg = chart([
      [100, 1],
      [1_000, 10],
      [10_000, 100],
    ]);
    const [xs, ys] = [numbersOf(svg, /cx="([\d.]+)"/g), numbersOf(svg, /cy="([\d.]+)"/g)];
    expect(xs).toHaveLength(3);
    expect((xs[1] ?? 0) - (xs[0] ?? 0)).toBeCloseTo((xs[2] ?? 0) - (xs[1] ?? 0));
    expect((ys[0] ?? 0) - (ys[1] ?? 0)).toBeCloseTo((ys[1] ?? 0) - (ys[2] ?? 0));
    expect(ys[0]).toBeGreaterThan(ys[2] ?? Number.NaN);
  });

  test('draws a line from the least to the most, in whatever order points come', () => {
    const lineOf = (svg: string): string | undefined => /<polyline class="line a" points="([^"]+)"/.exec(svg)?.[1];
    const line = lineOf(
      chart([
        [10, 1],
        [100, 5],
        [1_000, 7],
      ]),
    );
    expect(line?.split(' ')).toHaveLength(3);
    expect(
      lineOf(
        chart([
          [1_000, 7],
          [10, 1],
          [100, 5],
        ]),
      ),
    ).toBe(line);
  });

  test('names its numbers and says nothing that is no text', () => {
    const svg = chart([
      [500, 0.8],
      [100_000, 40],
    ]);
    expect(svg).toContain('>100,000<');
    expect(svg).toContain('>0.1<');
    expect(svg).toContain('>100<');
    expect(svg).toContain('a &lt; b &amp; &quot;c&quot;');
    expect(svg).not.toContain('NaN');
  });

  test('of a single point can be drawn', () => {
    expect(chart([[500, 1]])).not.toMatch(/NaN|Infinity/);
  });

  test('can be read on dark paper', () => {
    expect(chart([[500, 1]])).toContain('@media (prefers-color-scheme: dark)');
  });
});

test.each([
  [
    [10, 100],
    [10, 100],
  ],
  [
    [10, 12],
    [10, 25],
  ],
  [
    [12, 10, 11],
    [40, 10, 25],
  ],
])('labels at %j stand at %j', (places, expected) => {
  expect(apart(places)).toEqual(expected);
});
