import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { tokenIssuer } from '../context/tokens.ts';
import { makeTokenKey } from './token-key.ts';
import { checkingKeysProblem, createTokenSigner, signingKeyProblem } from './token-signer.ts';

const pem = makeTokenKey();
const signer = createTokenSigner(() => pem);
const claims = { iss: 'https://issuer', sub: 'ada', aud: ['x'] };
const signed = await signer.sign(claims);
const [head = '', body = '', signature = ''] = signed.split('.');

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (part: string): Record<string, string> => JSON.parse(Buffer.from(part, 'base64url').toString());

test('what was signed is read back, also a second time and by another who has the key', async () => {
  expect(await signer.read(signed)).toEqual(claims);
  expect(await signer.read(signed)).toEqual(claims);
  expect(await createTokenSigner(() => pem).read(signed)).toEqual(claims);
});

test('others check it with what is published', async () => {
  const keys = createLocalJWKSet(signer.publicKeys() as JSONWebKeySet);
  const { payload, protectedHeader } = await jwtVerify(signed, keys, { issuer: 'https://issuer', audience: 'x' });
  expect(payload).toEqual(claims);
  expect(protectedHeader).toEqual({ alg: 'ES256', kid: signer.publicKeys().keys[0]?.['kid'] });
  expect(Object.keys(signer.publicKeys().keys[0] ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
});

test.each([
  ['rsa', { modulusLength: 2048 }, 'RS256'],
  ['ec', { namedCurve: 'P-384' }, 'ES384'],
] as const)('a key that somebody brings along may be %s', async (type, options, alg) => {
  const { privateKey, publicKey } = generateKeyPairSync(type as 'rsa', options as { modulusLength: 2048 });
  const [given, public_] = [privateKey, publicKey].map((key, index) =>
    String(key.export({ type: index === 0 ? 'pkcs8' : 'spki', format: 'pem' } as { type: 'spki'; format: 'pem' })),
  );
  const theirs = createTokenSigner(() => given ?? '');
  const token = await theirs.sign(claims);
  expect(decoded(token.split('.')[0] ?? '')).toMatchObject({ alg });
  expect(await theirs.read(token)).toEqual(claims);
  expect(await signer.read(token)).toBeUndefined();
  const both = createTokenSigner(() => pem, { checking: [public_ ?? ''] });
  expect([await both.read(token), await both.read(signed)]).toEqual([claims, claims]);
  expect(both.publicKeys().keys.map((key) => key['alg'])).toEqual(['ES256', alg]);
});

test('a key that cannot be used is told before its first token', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const other = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const otherPublic = String(publicKey.export({ type: 'spki', format: 'pem' }));
  const damaged = pem.replace(/[A-Za-z0-9+/]{20}\n/, '\n');
  const own = String(createPublicKey(pem).export({ type: 'spki', format: 'pem' }));
  expect([pem, own, damaged, other, ''].map(signingKeyProblem)).toEqual([
    undefined,
    'no private key as PEM',
    'no private key as PEM',
    expect.stringContaining('RSA keys, or ECDSA keys'),
    'no private key as PEM',
  ]);
  expect([pem, own, `${own}${pem}`, `${own}${otherPublic}`, damaged, 'x'].map(checkingKeysProblem)).toEqual([
    undefined,
    undefined,
    undefined,
    expect.stringContaining('RSA keys, or ECDSA keys'),
    expect.stringContaining('no public key'),
    expect.stringContaining('no public key'),
  ]);
});

test('whoever signs has a name, and readers', () => {
  expect([signer.issuer, signer.audiences]).toEqual([tokenIssuer, [tokenIssuer]]);
  const { issuer, audiences } = createTokenSigner(() => pem, { issuer: 'https://me', audiences: ['a', 'b'] });
  expect([issuer, audiences]).toEqual(['https://me', ['a', 'b']]);
});

/** The classic: the public key, which everybody has, taken for a shared secret. */
function confused(secret: string | Buffer): string {
  const text = `${encoded({ ...decoded(head), alg: 'HS256' })}.${encoded({ ...claims, sub: 'eve' })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
const publicKey = createPublicKey(pem);

test.each<[string, string]>([
  ['with other claims', `${head}.${encoded({ ...claims, sub: 'eve' })}.${signature}`],
  ['without a signature', `${head}.${body}.`],
  ['with half a signature', `${head}.${body}.${signature.slice(0, 43)}`],
  ['with one bit flipped', `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`],
  ['that wants no algorithm', `${encoded({ ...decoded(head), alg: 'none' })}.${body}.`],
  ['that wants no algorithm, with a signature', `${encoded({ ...decoded(head), alg: 'none' })}.${body}.${signature}`],
  ['signed with the public key as PEM', confused(publicKey.export({ type: 'spki', format: 'pem' }))],
  ['signed with the public key as DER', confused(publicKey.export({ type: 'spki', format: 'der' }))],
  ['without a key', `${encoded({ alg: 'ES256' })}.${body}.${signature}`],
  [
    'that brings its own key',
    `${encoded({ ...decoded(head), jwk: signer.publicKeys().keys[0] })}.${body}.${signature}`,
  ],
  ['that must be understood', `${encoded({ ...decoded(head), crit: ['x'], x: 1 })}.${body}.${signature}`],
  ['of nothing', '..'],
  ['of nonsense', 'a.b.c'],
])('a token %s says nothing', async (_, token) => expect(await signer.read(token)).toBeUndefined());

test('another key’s token says nothing, even under the same name of the key', async () => {
  const other = createTokenSigner();
  const [otherHead = '', ...rest] = (await other.sign(claims)).split('.');
  expect(await signer.read([otherHead, ...rest].join('.'))).toBeUndefined();
  expect(await signer.read([head, ...rest].join('.'))).toBeUndefined();
});

test('claims that are no object say nothing', async () => {
  expect(await signer.read(await signer.sign([] as unknown as object as never))).toBeUndefined();
});
