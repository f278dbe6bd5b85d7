import { expect, test } from 'vitest';
import { statusOf } from '../../api/wire/refusal.ts';
import { unreachable } from './failures.ts';

const conflict = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  reason: 'Conflict',
  code: 409,
  message: 'm',
};

test('the Status of the server is taken as it is', () => {
  expect(statusOf({ code: 409, text: JSON.stringify(conflict), retryAfter: undefined })).toEqual(conflict);
});

test('a Retry-After header becomes a detail', () => {
  expect(statusOf({ code: 429, text: 'slow down', retryAfter: 7 })).toMatchObject({
    reason: 'TooManyRequests',
    message: 'the server answered 429: slow down',
    details: { retryAfterSeconds: 7 },
  });
});

test.each([
  [502, '<html>\n<h1>Bad\tGateway</h1>', 'InternalError', 'the server answered 502: <html> <h1>Bad Gateway</h1>'],
  [404, '', 'NotFound', 'the server answered 404'],
  [403, 'null', 'Forbidden', 'the server answered 403: null'],
  [401, '{"kind":"Status"}', 'Unauthorized', 'the server answered 401: {"kind":"Status"}'],
])('what a proxy says with %i becomes a Status', (code, text, reason, message) => {
  expect(statusOf({ code, text, retryAfter: undefined })).toMatchObject({ kind: 'Status', code, reason, message });
});

test('a long page is cut', () => {
  expect(statusOf({ code: 500, text: 'x'.repeat(10_000), retryAfter: undefined }).message?.length).toBeLessThan(600);
});

const failed = (code: string): Error => Object.assign(new Error('inner'), { code });

test.each([
  ['ECONNREFUSED', 503, 'cannot reach https://a: nothing listens there; is the server running?'],
  ['ENOTFOUND', 503, 'cannot reach https://a: the host name is unknown'],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    503,
    'cannot reach https://a: its certificate is signed by an unknown authority; check certificate-authority',
  ],
  [
    'ECONNRESET',
    504,
    'lost the connection to https://a before the answer came (ECONNRESET); the request may have been carried out',
  ],
])('%s is a %i', (code, expected, message) => {
  for (const cause of [failed(code), new Error('outer', { cause: failed(code) })]) {
    const error = unreachable('https://a', cause);
    expect([error.code, error.message]).toEqual([expected, message]);
    expect(error.cause).toBe(cause);
  }
});
