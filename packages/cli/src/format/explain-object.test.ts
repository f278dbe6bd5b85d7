import type { ExplainedGroup, Explanation } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { formatExplanation } from './explain-object.ts';

const plain = (text: string): string => text;
const colors = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain } as never;

const group = (state: string, more: Partial<ExplainedGroup> = {}): ExplainedGroup => ({
  of: 'node',
  state,
  why: '',
  mend: '',
  names: ['a'],
  rules: [],
  ...more,
});

const explanation = (more: Partial<Explanation>): Explanation => ({
  subject: { kind: 'DaemonSet', namespace: 'shop', name: 'agent' },
  outcome: 'waits',
  summary: 'runs on 4990 of 5000 nodes that should run it',
  causes: [],
  facts: {},
  groups: [],
  ...more,
});

test('five thousand nodes fit a screen', () => {
  const nodes = Array.from({ length: 4_990 }, (_, index) => `node-${index + 1}`);
  const text = formatExplanation(
    explanation({
      causes: [{ cause: '10 nodes: full', mend: 'make room' }],
      facts: { desired: 5_000, maxUnavailable: 1, waitingForTheirTurn: 3 },
      groups: [
        group('runs', { names: nodes }),
        group('should run', { why: 'full', mend: 'make room', names: ['x', 'y'] }),
        group('is not wanted', { why: 'a taint', mend: 'tolerate it' }),
      ],
    }),
    colors,
  );
  expect(text).toBe(`✗ DaemonSet shop/agent runs on 4990 of 5000 nodes that should run it
  cause: 10 nodes: full
  mend:  make room
  desired 5000 · maxUnavailable 1 · waiting for their turn 3

  4990 nodes  run            [node-1, node-2, node-3 and 4987 more]
     2 nodes  should run     full [x, y]
      1 node  is not wanted  a taint [a]
              mend: tolerate it
`);
});

test('so do a hundred reasons', () => {
  const groups = Array.from({ length: 100 }, (_, index) => group('should run', { why: `reason ${index}` }));
  const causes = groups.map(({ why }) => ({ cause: why, mend: '' }));
  const lines = formatExplanation(explanation({ groups, causes }), colors).split('\n');
  expect(lines.length).toBeLessThan(25);
  expect(lines).toContain('  and 97 more causes');
  expect(lines).toContain('  and 85 more groups; -o json has them all');
});

test('of what is left out one is one', () => {
  const groups = Array.from({ length: 16 }, (_, index) => group('should run', { why: `reason ${index}` }));
  const causes = groups.slice(0, 4).map(({ why }) => ({ cause: why, mend: '' }));
  const lines = formatExplanation(explanation({ groups, causes }), colors).split('\n');
  expect(lines).toContain('  and 1 more cause');
  expect(lines).toContain('  and 1 more group; -o json has it');
});

test('what is settled needs one line', () => {
  const subject = { kind: 'Node', name: 'a' };
  const text = formatExplanation(
    explanation({ subject, outcome: 'settled', summary: 'is ready, and has 0 pods' }),
    colors,
  );
  expect(text).toBe('✓ Node a is ready, and has 0 pods\n');
});
