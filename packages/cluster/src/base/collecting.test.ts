import { expect, test } from 'vitest';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { collectWhenMuch } from './collecting.ts';

const mb = 1024 * 1024;

function running({ engine = '11.3.244.8-node.26' } = {}) {
  const clock = createVirtualClock();
  const now = { cpuMs: 0, usedBytes: 60 * mb };
  const said: string[] = [];
  const stop = collectWhenMuch(engine, {
    used: { cpuMs: () => now.cpuMs, usedBytes: () => now.usedBytes },
    clock,
    say: ({ set }) => void said.push(set),
  });
  return {
    said,
    stop,
    /** Five seconds pass, of which so much was work. */
    async passes(cpuMs: number, usedBytes = now.usedBytes): Promise<readonly string[]> {
      now.cpuMs += cpuMs;
      now.usedBytes = usedBytes;
      said.length = 0;
      await clock.advance(5_000);
      return said;
    },
  };
}

test('a small heap may double at rest, and become four times as large under load', async () => {
  const { passes } = running();
  expect(await passes(2_000)).toEqual(['--heap-growing-percent=300']);
  expect(await passes(200)).toEqual(['--heap-growing-percent=100']);
  expect(await passes(200)).toEqual([]);
  expect(await passes(4_000, 160 * mb)).toEqual(['--heap-growing-percent=160']);
  expect(await passes(749)).toEqual(['--heap-growing-percent=100']);
});

test.each([
  ['at rest', 0],
  ['under load', 4_000],
])('a large heap keeps no more than 256 MB of garbage, or two fifths of it: %s', async (_when, cpuMs) => {
  const { passes } = running();
  expect(await passes(0, 256 * mb)).toEqual(['--heap-growing-percent=100']);
  expect(await passes(cpuMs, 512 * mb)).toEqual(['--heap-growing-percent=50']);
  expect(await passes(cpuMs, 600 * mb)).toEqual(['--heap-growing-percent=40']);
  expect(await passes(cpuMs, 6_000 * mb)).toEqual([]);
});

test('all is as it was after the end, and nothing is said to an engine that was not measured', async () => {
  const { stop, said, passes } = running();
  await passes(0);
  said.length = 0;
  stop();
  expect(said).toEqual(['--gc-memory-reducer-start-delay-ms=8000', '--heap-growing-percent=0']);
  expect(await passes(0)).toEqual([]);
  const other = running({ engine: '12.4.254.21-node.33' });
  expect(other.said).toEqual([]);
  expect(await other.passes(0)).toEqual([]);
});
