import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPieces } from './pieces.ts';

test('all pieces come out in order, whatever their sizes', () =>
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(1, 5_000, 70_000), fc.nat(3)), { maxLength: 60 }), (sizes) => {
      const given = sizes.map((size, index) => Buffer.alloc(size, index));
      const pieces = createPieces();
      for (const piece of given) pieces.add(piece);
      expect(pieces.all().equals(Buffer.concat(given))).toBe(true);
    }),
    { numRuns: 50 },
  ));

test('a body that comes byte by byte is kept in few objects', () => {
  const pieces = createPieces();
  const shared = Buffer.from('x');
  for (let index = 0; index < 1_000_000; index++) pieces.add(shared);
  // What is kept is a copy: the block that the byte came in can go.
  shared.write('y');
  expect(pieces.all().toString('latin1')).toBe('y'.repeat(16) + 'x'.repeat(999_984));
});
