import { expect, test } from 'vitest';
import { holdsPrivateKey } from './private-key.ts';

const pem = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg==\n-----END PRIVATE KEY-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

test.each<[string, string]>([
  ['as it stands', pem],
  ['in base64', base64(pem)],
  ['of a curve', base64(pem.replaceAll('PRIVATE', 'EC PRIVATE'))],
  ['behind a request', base64(`-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n${pem}`)],
  ['in JSON', JSON.stringify({ spec: { request: base64(pem) } })],
])('a key is found %s', (_, text) => {
  expect(holdsPrivateKey(text)).toBe(true);
});

test.each(['', 'PRIVATE', base64('-----BEGIN PUBLIC KEY-----'), base64('-----BEGIN CERTIFICATE REQUEST-----')])(
  '%j holds none',
  (text) => {
    expect(holdsPrivateKey(text)).toBe(false);
  },
);
