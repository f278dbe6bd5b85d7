import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StatusError } from '../api/status.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';

const prefix = '/core/pods/default/';

test('a token comes back as it went', () => {
  fc.assert(
    fc.property(fc.option(fc.integer({ min: 1 }), { nil: undefined }), fc.string(), (revision, after) => {
      const token = { of: prefix, revision, after };
      expect(decodeContinue(encodeContinue(token), prefix)).toEqual(token);
    }),
  );
});

test('text that is no token is refused, whatever it is', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json().map((text) => Buffer.from(text).toString('base64url')),
      ),
      (text) => {
        expect(() => decodeContinue(text, prefix)).toThrow(StatusError);
      },
    ),
  );
});

test('a token of another collection is refused', () => {
  const token = encodeContinue({ of: '/core/secrets/default/', revision: 1, after: 'a' });
  expect(() => decodeContinue(token, prefix)).toThrow('continue key is not valid');
});
