import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeParts, takeBytes } from './slab.ts';

const part = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20_000 }),
  fc.uint8Array({ maxLength: 20_000 }).map((bytes) => Buffer.from(bytes)),
);

test('parts are what they are on their own, one after the other, and stay so', () => {
  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 4 }), { maxLength: 8 }), (all) => {
      const made = all.map((parts) => encodeParts(parts));
      for (const [index, parts] of all.entries())
        expect(made[index]?.equals(Buffer.concat(parts.map((each) => Buffer.from(each as string))))).toBe(true);
    }),
  );
});

test('what is taken is of the length that was asked for, and nobody else has it', () => {
  const taken = [0, 1, 10, 4_096, 30_000, 100_000, 1_000_000, 7].map((length) => takeBytes(length).fill(length % 251));
  for (const bytes of taken) expect(bytes.every((byte) => byte === bytes.length % 251)).toBe(true);
});

test('small buffers lie in one piece of memory, and a large one has its own', () => {
  expect(takeBytes(5_000).buffer).toBe(takeBytes(5_000).buffer);
  expect(takeBytes(1_000_000).buffer.byteLength).toBe(1_000_000);
});
