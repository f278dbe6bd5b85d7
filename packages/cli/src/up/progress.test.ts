import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestIo, type TestIo } from '../testing/io.ts';
import { createProgress, liveLines, reasonLines } from './progress.ts';
import type { Step } from './readiness.ts';

const step = (name: string, ...why: readonly string[]): Step => ({
  kind: 'Thing',
  namespace: 'n',
  name,
  how: '1 of 1 pods ready',
  why,
});

describe('where nobody watches', () => {
  let io: TestIo;
  beforeEach(async () => {
    io = await createTestIo();
  });
  afterEach(() => io.remove());

  test('each object is told of once, when it becomes ready', () => {
    const progress = createProgress(io);
    progress.log('thing/a created');
    progress.show([step('a', '0 of 1'), step('b')]);
    progress.show([step('a'), step('b')]);
    progress.show([step('a'), step('b')]);
    progress.end();
    expect(io.err()).toBe('thing/a created\n✓ Thing n/b (1 of 1 pods ready)\n✓ Thing n/a (1 of 1 pods ready)\n');
    expect(io.out()).toBe('');
  });
  test('one that fell back is told of again', () => {
    const progress = createProgress(io);
    for (const steps of [[step('a')], [step('a', 'lost')], [step('a')]]) progress.show(steps);
    expect(io.err().match(/Thing n\/a/g)).toHaveLength(2);
  });
});

describe('on a terminal', () => {
  let io: TestIo;
  beforeEach(async () => {
    io = await createTestIo({ isTerminal: true, env: { NO_COLOR: '1' } });
  });
  afterEach(() => io.remove());
  const erase = (lines: number): string => `\u001B[${lines}A\u001B[0J`;

  test('the picture is drawn in place, lines that stay go above it, and the end takes it away', () => {
    const progress = createProgress(io);
    progress.show([step('a', 'waits')]);
    const first = '0 of 1 ready\n  … Thing n/a: waits\n';
    expect(io.err()).toBe(first);
    progress.show([step('a', 'waits')]);
    expect(io.err()).toBe(first);
    progress.log('warning');
    expect(io.err()).toBe(`${first}${erase(2)}warning\n${first}`);
    progress.end();
    expect(io.err()).toBe(`${first}${erase(2)}warning\n${first}${erase(2)}`);
  });
  test('a terminal that cannot move its cursor gets plain lines', async () => {
    const dumb = await createTestIo({ isTerminal: true, env: { TERM: 'dumb' } });
    createProgress(dumb).show([step('a')]);
    expect(dumb.err()).toBe('✓ Thing n/a (1 of 1 pods ready)\n');
    await dumb.remove();
  });
});

test('no line is wider than the terminal, and only some of many are drawn', () => {
  const many = Array.from({ length: 20 }, (_, index) => step(`thing-${index}`, 'x'.repeat(200)));
  const lines = liveLines(many, 40);
  expect(lines).toHaveLength(10);
  expect(lines.at(-1)).toBe('  … and 12 more');
  for (const line of lines) expect(line.length).toBeLessThan(40);
});

test('reasons stand behind the object that waits', () => {
  expect(reasonLines([step('a'), step('b', '0 of 1 pods ready', 'pod b-0: full')])).toEqual([
    'Thing n/b: 0 of 1 pods ready; pod b-0: full',
  ]);
});
