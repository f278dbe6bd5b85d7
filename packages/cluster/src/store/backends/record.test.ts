import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../../../tools/any-text.ts';
import { createArena } from '../../base/slab.ts';
import { decodeRecord, encodeRecord } from './record.ts';

const record = fc.record({
  key: anyText({ minLength: 1 }),
  createdRevision: fc.maxSafeNat(),
  revision: fc.maxSafeNat(),
  bytes: fc.json().map((text) => Buffer.from(text)),
});

test('a record decodes to what was encoded', () => {
  fc.assert(
    fc.property(record, (given) => {
      const decoded = decodeRecord(given.key, encodeRecord(given, createArena()));
      expect(decoded).toEqual(given);
    }),
  );
});

test('a flipped bit anywhere, a missing end and a wrong key are found', () => {
  fc.assert(
    fc.property(record, fc.nat(), fc.nat({ max: 7 }), (given, position, bit) => {
      const encoded = encodeRecord(given, createArena());
      const at = position % encoded.length;
      expect(decodeRecord(`${given.key}x`, encoded)).toBeUndefined();
      expect(decodeRecord(given.key, encoded.subarray(0, at))).toBeUndefined();
      encoded[at] = (encoded[at] ?? 0) ^ (1 << bit);
      expect(decodeRecord(given.key, encoded)).toBeUndefined();
    }),
  );
});
