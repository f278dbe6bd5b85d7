import { expect, test } from 'vitest';
import { compare, type Measured, type Side } from './turns.ts';

/** A side whose figures are given; what it was asked for is kept. */
function side(name: string, answer: (measurement: string) => Measured, asked: string[] = []): Side {
  return {
    name,
    measure: (measurement) => {
      asked.push(`${name} ${measurement}`);
      return answer(measurement);
    },
  };
}

const figures = (ms: number): Measured => ({ is: 'measured', figures: { ms, 'commits/s': 1000 / ms } });

function printed(
  names: readonly string[],
  sides: { readonly before: Side; readonly now: Side; readonly runs?: number },
) {
  const lines: string[] = [];
  const allRan = compare(names, { runs: 1, ...sides, print: (line) => lines.push(line.replace(/ +/g, ' ').trim()) });
  return { allRan, lines: lines.slice(1) };
}

test('the two run in turns, and each round another goes first', () => {
  const asked: string[] = [];
  const [before, now] = [side('old', () => figures(100), asked), side('new', () => figures(100), asked)];
  printed(['start'], { before, now, runs: 3 });
  expect(asked).toEqual(['old start', 'new start', 'new start', 'old start', 'old start', 'new start']);
});

test('each figure has its median, least, most and difference; what is worse by more than five per cent is marked', () => {
  const old = [100, 90, 110];
  const before = side('old', () => figures(old.shift() ?? 0));
  expect(printed(['start'], { before, now: side('new', () => figures(125)), runs: 3 })).toEqual({
    allRan: true,
    lines: [
      'start: ms 100 (90.0–110) 125 (125–125) +25.0 % worse',
      'start: commits/s 10.0 (9.09–11.1) 8.00 (8.00–8.00) -20.0 % worse',
    ],
  });
  const slightly = printed(['start'], {
    before: side('old', () => figures(100)),
    now: side('new', () => figures(104)),
  });
  expect(slightly.lines.join('\n')).not.toContain('worse');
});

test('a case or a figure that one of them does not have is named, and the rest goes on', () => {
  const before = side('old', (name) => (name === 'store' ? { is: 'absent' } : figures(1)));
  const now = side('new', (name) => (name === 'idle' ? { is: 'measured', figures: { 'first ms': 2 } } : figures(1)));
  expect(printed(['store', 'idle', 'start'], { before, now })).toEqual({
    allRan: true,
    lines: [
      'store: there is no such case in old',
      'idle: there is no figure "first ms" in old',
      'idle: there is no figure "ms" in new',
      'idle: there is no figure "commits/s" in new',
      'start: ms 1.00 (1.00–1.00) 1.00 (1.00–1.00) 0.0 %',
      'start: commits/s 1000 (1000–1000) 1000 (1000–1000) 0.0 %',
    ],
  });
});

test('a case that fails says why, and the rest goes on', () => {
  const now = side('new', (name) => (name === 'store' ? { is: 'failed', reason: 'Error: no disk' } : figures(1)));
  const { allRan, lines } = printed(['store', 'start'], { before: side('old', () => figures(1)), now });
  expect(allRan).toBe(false);
  expect(lines[0]).toBe('store: failed in new: Error: no disk');
  expect(lines).toHaveLength(3);
});
