import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createArena, encodeParts, giveBack, lendParts } from './slab.ts';

const part = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20_000 }),
  fc.uint8Array({ maxLength: 20_000 }).map((bytes) => Buffer.from(bytes)),
);
const joined = (parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((each) => Buffer.from(each as string)));

test('parts are what they are on their own, one after the other, and stay so', () => {
  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 4 }), { maxLength: 8 }), (all) => {
      const made = all.map((parts) => encodeParts(parts));
      for (const [index, parts] of all.entries()) expect(made[index]?.equals(joined(parts))).toBe(true);
    }),
  );
});

test('what was lent stays what it is until it is given back, whatever else is', () => {
  const step = fc.record({ parts: fc.array(part, { maxLength: 4 }), isLent: fc.boolean(), back: fc.nat({ max: 30 }) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
      const mine: { readonly bytes: Buffer; readonly are: Buffer; readonly isLent: boolean }[] = [];
      for (const { parts, isLent, back } of steps) {
        mine.push({ bytes: (isLent ? lendParts : encodeParts)(parts), are: joined(parts), isLent });
        const given = mine[back];
        if (given?.isLent === true) giveBack(mine.splice(back, 1)[0]?.bytes ?? Buffer.alloc(0));
        for (const { bytes, are } of mine) expect(bytes.equals(are)).toBe(true);
      }
      for (const { bytes, isLent } of mine) if (isLent) giveBack(bytes);
    }),
    { numRuns: 30 },
  );
});

test('memory that was given back is used again', () => {
  const text = 'x'.repeat(10_000);
  const used = new Set<ArrayBufferLike>();
  // Forty at a time lie in two pieces of memory; a thousand rounds need no more than a few.
  for (let round = 0; round < 1_000; round++) {
    const lent = Array.from({ length: 40 }, () => lendParts([text]));
    for (const bytes of lent) used.add(bytes.buffer);
    for (const bytes of lent) giveBack(bytes);
  }
  expect(used.size).toBeLessThan(10);
});

test('small buffers lie in one piece of memory, and a large one has its own', () => {
  expect(encodeParts(['x'.repeat(5_000)]).buffer).toBe(encodeParts(['x'.repeat(5_000)]).buffer);
  expect(lendParts(['x'.repeat(1_000_000)]).buffer.byteLength).toBe(1_000_000);
});

test('what is taken of an arena is of the length that was asked for, and nobody else has it', () => {
  const arena = createArena();
  for (let round = 0; round < 3; round++) {
    const lengths = [
      0,
      1,
      10,
      4_096,
      30_000,
      100_000,
      1_000_000,
      7,
      ...Array.from({ length: 50 }, () => 20_000 + round),
    ];
    const taken = lengths.map((length, index) => arena.take(length).fill(index));
    for (const [index, bytes] of taken.entries()) {
      expect(bytes.length).toBe(lengths[index]);
      expect(bytes.every((byte) => byte === index)).toBe(true);
    }
    arena.clear();
  }
});

test('an arena that was cleared uses its memory again', () => {
  const arena = createArena();
  const first = arena.take(5_000);
  arena.clear();
  expect(arena.take(6_000).buffer).toBe(first.buffer);
});
