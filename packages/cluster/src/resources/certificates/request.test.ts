import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edwardsRequest, janesRequest, mastersRequest } from '../../testing/resources/certificate-requests.ts';
import { parseCertificateRequest } from './request.ts';

test('a request says for whom and for what it is', () => {
  const { publicKey, ...asked } = parseCertificateRequest(janesRequest);
  expect(asked).toEqual({
    commonName: 'jane',
    organizations: ['devs', 'ops'],
    dnsNames: ['a.example'],
    addresses: ['10.0.0.1', '2001:db8::1'],
    emails: ['a@b.c'],
    uris: ['spiffe://x/y'],
  });
  expect(publicKey.length).toBe(91);
});

test('keys may be RSA and Ed25519 as well', () => {
  expect(parseCertificateRequest(mastersRequest).organizations).toEqual(['system:masters']);
  expect(parseCertificateRequest(edwardsRequest)).toMatchObject({ commonName: 'ed', dnsNames: [] });
});

test.each([
  ['', 'PEM block type must be CERTIFICATE REQUEST'],
  [Buffer.from('hello').toString('base64'), 'PEM block type must be CERTIFICATE REQUEST'],
])('what is no PEM of a request is told as such', (request, message) => {
  expect(() => parseCertificateRequest(request)).toThrow(message);
});

const der = Buffer.from(
  Buffer.from(janesRequest, 'base64')
    .toString('latin1')
    .replace(/-----[A-Z ]+-----|\s/g, ''),
  'base64',
);

function asRequest(bytes: Buffer): string {
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  return Buffer.from(pem).toString('base64');
}

test('no bit of it can be changed by somebody who has not the key', () => {
  const signedBytes = der.length - 90;
  fc.assert(
    fc.property(fc.integer({ min: 8, max: signedBytes }), fc.integer({ min: 0, max: 7 }), (at, bit) => {
      const changed = Buffer.from(der);
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at);
      expect(() => parseCertificateRequest(asRequest(changed))).toThrow();
    }),
  );
});

test('bytes of strangers end in an error, never in anything else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (bytes) => {
      expect(() => parseCertificateRequest(asRequest(Buffer.from(bytes)))).toThrow(Error);
    }),
  );
});
