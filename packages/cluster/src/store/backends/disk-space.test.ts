import { expect, test } from 'vitest';
import type { Clock } from '../../base/clock.ts';
import { createDiskSpace } from './disk-space.ts';

const megabyte = 1_048_576;

function createWorld(): {
  free: number;
  nowMs: number;
  asked: number;
  shortage(bytes: number): Promise<string | undefined>;
} {
  const world = { free: 100 * megabyte, nowMs: 0, asked: 0 };
  const space = createDiskSpace({
    folder: '/data',
    clock: { nowMs: () => world.nowMs } as Clock,
    freeBytesIn: async () => {
      world.asked += 1;
      return world.free;
    },
  });
  return Object.assign(world, {
    shortage: async (bytes: number) =>
      space.shortage([{ key: '/a', revision: 1, createdRevision: 1, bytes: Buffer.alloc(bytes) }]),
  });
}

test('the file system is asked once a second', async () => {
  const world = createWorld();
  for (let round = 0; round < 100; round++) expect(await world.shortage(1000)).toBeUndefined();
  expect(world.asked).toBe(1);
  world.nowMs = 1_000;
  await world.shortage(1000);
  expect(world.asked).toBe(2);
});

test('what was written since counts, so a burst cannot fill the disk unseen', async () => {
  const world = createWorld();
  for (let round = 0; round < 24; round++) {
    await world.shortage(4 * megabyte);
    world.free -= 4 * megabyte;
  }
  expect(world.asked).toBeGreaterThan(1);
  expect(await world.shortage(100 * megabyte)).toMatch(
    /^the disk of \/data is full: [\d.]+ MB are free and 101\.\d MB are needed; make room, and writes go on by themselves$/,
  );
});

test('a clock that jumps back does not keep it from asking', async () => {
  const world = createWorld();
  world.nowMs = 1_000_000;
  await world.shortage(1000);
  world.nowMs = 0;
  await world.shortage(1000);
  expect(world.asked).toBe(2);
});
