import type { LiveNode } from '@signalbox/telemetry';
import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { formatLiveTrees } from './tree.ts';

const plain = picocolors.createColors(false);
const node = (name: string, parts: Partial<LiveNode> = {}): LiveNode => ({
  kind: 'Thing',
  namespace: 'n',
  name,
  state: 'unknown',
  notes: [],
  problems: [],
  conditions: [],
  children: [],
  ...parts,
});

test('a tree is drawn with marks, remarks, conditions and reasons', () => {
  const condition = (type: string, status: string, message: string): LiveNode['conditions'][number] => ({
    type,
    status,
    reason: 'Because',
    message,
  });
  const tree = node('root', {
    state: 'failed',
    conditions: [condition('Reconciled', 'True', 'hidden'), condition('Available', 'False', '1 of 2')],
    children: [
      node('a', {
        problems: ['error: no such key'],
        children: [node('a1', { state: 'ready', notes: ['2 of 2 ready'] })],
      }),
      node('b', { state: 'waiting', problems: ['0 of 1 pods ready'] }),
    ],
  });
  expect(formatLiveTrees([tree, node('other')], plain)).toBe(
    [
      '✗ Thing n/root · ✓ Reconciled, ✗ Available',
      '│ Available: Because: 1 of 2',
      '├─ Thing n/a',
      '│  │ error: no such key',
      '│  └─ ✓ Thing n/a1 · 2 of 2 ready',
      '└─ … Thing n/b',
      '     0 of 1 pods ready',
      '',
      'Thing n/other',
      '',
    ].join('\n'),
  );
});

test('of many pods those that are not ready are drawn, and the rest is counted', () => {
  const pods = Array.from({ length: 14 }, (_, index) =>
    node(`pod-${index}`, { kind: 'Pod', state: index === 13 ? 'waiting' : 'ready' }),
  );
  const lines = formatLiveTrees([node('set', { children: pods })], plain).split('\n');
  expect(lines).toHaveLength(13);
  expect(lines[1]).toBe('├─ … Pod n/pod-13');
  expect(lines[11]).toBe('└─ and 4 more pods, 4 of them ready');
});

test('a pod’s conditions are left to its mark and its reason', () => {
  const pod = node('p', {
    kind: 'Pod',
    state: 'waiting',
    problems: ['it waits for a node'],
    conditions: [{ type: 'Ready', status: 'False', reason: 'x', message: 'y' }],
  });
  expect(formatLiveTrees([pod], plain)).toBe('… Pod n/p\n  it waits for a node\n');
});

test('what belongs to no namespace goes by its name', () => {
  const { namespace: _, ...bare } = node('alone');
  expect(formatLiveTrees([bare], plain)).toBe('Thing alone\n');
});

test('colours are there when they are wanted', () => {
  expect(formatLiveTrees([node('a', { state: 'ready' })], picocolors.createColors(true))).toContain('\u001B[32m✓');
});
