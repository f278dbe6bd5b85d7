import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestIo, type TestIo } from '../testing/io.ts';
import type { Step } from './readiness.ts';
import { openTold } from './told.ts';

let io: TestIo;
beforeEach(async () => {
  io = await createTestIo();
});
afterEach(() => io.remove());

const ready: Step = { kind: 'Thing', namespace: 'n', name: 'a', how: '1 of 1 pods ready', why: [] };

test('as text, lines look as they always did', async () => {
  const { log, progress } = await openTold({ logFormat: 'text', logLevel: 'info' }, io);
  log.write({ level: 'info', message: 'thing/a created' });
  log.write({ level: 'warn', component: 'fleet', message: 'cannot report', error: new Error('full') });
  log.write({ level: 'error', message: 'a.yaml:1: refused' });
  progress.show([ready]);
  expect(io.err()).toBe(
    'thing/a created\nwarning: fleet: cannot report: full\nerror: a.yaml:1: refused\n✓ Thing n/a (1 of 1 pods ready)\n',
  );
});

test('as JSON, progress is lines of the log too, also on a terminal', async () => {
  const terminal = await createTestIo({ isTerminal: true });
  try {
    const { log, progress } = await openTold({ logFormat: 'json', logLevel: 'info' }, terminal);
    log.write({ level: 'warn', component: 'fleet', message: 'cannot report' });
    progress.show([ready]);
    progress.end();
    const lines = terminal.err().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', component: 'fleet', message: 'cannot report' },
      { level: 'info', component: 'up', message: '✓ Thing n/a (1 of 1 pods ready)' },
    ]);
  } finally {
    await terminal.remove();
  }
});
