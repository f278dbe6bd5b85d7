import { createVirtualClock, type VirtualClock } from '@signalbox/cluster/testing';
import { beforeEach, expect, test } from 'vitest';
import { collectAtRest } from './rest.ts';

const mib = 1024 * 1024;

let clock: VirtualClock;
let cpuMs: number;
let usedMib: number;
let collected: number[];
let stop: () => void;

beforeEach(() => {
  clock = createVirtualClock();
  [cpuMs, usedMib, collected] = [0, 30, []];
  const heap = {
    cpuMs: () => cpuMs,
    usedBytes: () => usedMib * mib,
    collect() {
      collected.push(usedMib);
      usedMib = 20;
      cpuMs += 200;
    },
  };
  stop = collectAtRest(heap, clock);
});

/** Ten seconds in which so much is worked, and so much is made. */
async function pass(workedMs: number, madeMib: number): Promise<void> {
  cpuMs += workedMs;
  usedMib += madeMib;
  await clock.advance(10_000);
}

test('what the start has left is collected once, as soon as it is over', async () => {
  await pass(5_000, 0);
  await pass(900, 0);
  expect(collected).toEqual([]);
  await pass(20, 0);
  expect(collected).toEqual([30]);
  for (let round = 0; round < 10; round++) await pass(20, 0);
  expect(collected).toEqual([30]);
});

test('so is what a later burst has left, and nothing that is not worth it', async () => {
  await pass(20, 0);
  collected.splice(0);
  await pass(20, 15);
  await pass(800, 20);
  expect(collected).toEqual([]);
  await pass(20, 0);
  expect(collected).toEqual([55]);
});

test('collecting is no work that puts off the next', async () => {
  await pass(20, 0);
  await pass(20, 40);
  expect(collected).toEqual([30, 60]);
});

test('stopped it looks no more', async () => {
  stop();
  await pass(20, 100);
  expect(collected).toEqual([]);
});
