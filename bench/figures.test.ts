import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differenceOf, formatFigure, parseFigures, summarize, summaryOf } from './figures.ts';

test('a figure in several runs has a median, a least and a most', () => {
  expect(summaryOf([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3 });
  expect(summaryOf([4, 1, 2, 3]).median).toBe(2.5);
  expect([
    ...summarize([
      { ms: 10, rssMb: 7 },
      { ms: 30, rssMb: 5 },
      { ms: 20, rssMb: 6 },
    ]),
  ]).toEqual([
    ['ms', { median: 20, least: 10, most: 30 }],
    ['rssMb', { median: 6, least: 5, most: 7 }],
  ]);
});

test('what is printed is read again, to three digits', () => {
  fc.assert(
    fc.property(fc.double({ min: 1, max: 1e6, noNaN: true }), (value) => {
      const text = formatFigure('start: ms to kubectl get ns', summaryOf([value]));
      const { 'ms to kubectl get ns': read = 0 } = parseFigures(text, 'start');
      expect(Math.abs(read / value - 1)).toBeLessThan(0.006);
    }),
  );
});

test('lines of revisions that know nothing of this are read: goals, long names, other cases between', () => {
  const text = [
    '2 cores (Intel Xeon), 24 GiB, Node v20.20.0; median of 1 (least–most)',
    'daemonset-500: ms                         912  (912–912)',
    'kubectl-daemonset-1000: a figure with a long name 1.23  (1.23–1.23)',
    'daemonset-5000: msPerPod                 1.02  (1.02–1.02)   goal ≤ 1.3',
    'time per pod, 5000 nodes : 500 nodes     0.40   goal ≤ 1.3',
  ].join('\n');
  expect(parseFigures(text, 'daemonset-500')).toEqual({ ms: 912 });
  expect(parseFigures(text, 'daemonset-5000')).toEqual({ msPerPod: 1.02 });
  expect(parseFigures(text, 'kubectl-daemonset-1000')).toEqual({ 'a figure with a long name': 1.23 });
  expect(parseFigures(text, 'daemonset')).toEqual({});
});

test('more time and more memory are worse, a higher rate is better', () => {
  expect(differenceOf('start: idle MB', { before: 100, now: 110 }).worsePercent).toBeCloseTo(10);
  expect(differenceOf('store: lmdb commits/s', { before: 100, now: 110 }).worsePercent).toBeCloseTo(-10);
  expect(differenceOf('store: reopen ms', { before: 0, now: 3 }).worsePercent).toBe(0);
});
