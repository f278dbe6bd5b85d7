import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';

const prefix = '/core/pods/default/';

const some = fc.option(fc.integer({ min: 1 }), { nil: undefined });

test('a token comes back as it went', () => {
  fc.assert(
    fc.property(some, fc.string(), some, (revision, after, remaining) => {
      const token = { of: prefix, revision, after, remaining };
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
  const token = encodeContinue({ of: '/core/secrets/default/', revision: 1, after: 'a', remaining: 1 });
  expect(() => decodeContinue(token, prefix)).toThrow('continue key is not valid');
});
