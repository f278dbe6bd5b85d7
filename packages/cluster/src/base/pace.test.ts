import { expect, test } from 'vitest';
import type { Clock } from './clock.ts';
import { createPace } from './pace.ts';

function clockAt(): { clock: Clock; nowMs: number; turns: number } {
  const world = {
    nowMs: 0,
    turns: 0,
    clock: {
      nowMs: () => world.nowMs,
      after: () => () => undefined,
      async turn() {
        world.turns++;
        world.nowMs += 500;
      },
    },
  };
  return world;
}

test('short steps never wait', () => {
  const world = clockAt();
  const pace = createPace(world.clock);
  world.nowMs = 19;
  expect(pace.rest()).toBeUndefined();
  expect(world.turns).toBe(0);
});

test('after long steps others have a turn, and what theirs took does not count', async () => {
  const world = clockAt();
  const pace = createPace(world.clock);
  world.nowMs = 20;
  await pace.rest();
  expect(world.turns).toBe(1);
  expect(pace.rest()).toBeUndefined();
  world.nowMs += 20;
  expect(pace.rest()).toBeInstanceOf(Promise);
});
