import { expect, test } from 'vitest';
import { invalid } from '../../api/status.ts';
import { openAnnotations, openStatus, secrecyOf, withoutSecrets } from './redact.ts';

const word = 'hunter2';

test.each<[string, unknown, 'secret' | 'token' | undefined]>([
  ['a Secret', { kind: 'Secret', data: { a: word }, stringData: { b: word }, type: 'Opaque' }, 'secret'],
  ['one at a wrong place', { kind: 'Secret', data: { a: word } }, undefined],
  ['a mistyped one', { dataa: { a: word }, password: word, data: [word] }, 'secret'],
  ['a list of them', { kind: 'SecretList', items: [{ data: { a: word } }] }, 'secret'],
  ['a list of anything', { kind: 'List', items: [{ kind: 'Secret', data: { a: word } }] }, undefined],
  ['a JSON patch', [{ op: 'replace', path: '/data/a', value: word }], 'secret'],
  ['text instead of an object', word, 'secret'],
  [
    'what kubectl has applied',
    { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': word } } },
    'secret',
  ],
  ['a token that was made', { kind: 'TokenRequest', status: { token: word } }, 'token'],
  ['a token that is asked about', { kind: 'TokenReview', spec: { token: word, audiences: ['a'] } }, 'token'],
])('nothing of %s is shown', (_, body, secrecy) => {
  expect(JSON.stringify(withoutSecrets(body, secrecy) ?? '')).not.toContain(word);
});

test('what there is stays to be seen, and everything else as it was', () => {
  const secret = { kind: 'Secret', metadata: { name: 'a' }, data: { a: word }, type: 'Opaque' };
  expect(withoutSecrets(secret, 'secret')).toEqual({ ...secret, data: { a: '***' } });
  const patch = { metadata: { labels: { a: 'b' } }, data: { a: null } };
  expect(withoutSecrets(patch, 'secret')).toEqual({ ...patch, data: { a: '***' } });
  const map = { kind: 'ConfigMap', data: { a: word } };
  expect(withoutSecrets(map, undefined)).toBe(map);
});

test('a refusal that may quote what was sent is withheld', () => {
  const refusal = invalid({ group: '', resource: 'secrets' } as never, 'a', []);
  const quoting = {
    ...refusal,
    message: word,
    details: { name: 'a', causes: [{ message: word, field: `data[${word}]` }] },
  };
  const refused = { secrecy: 'secret', verb: 'create', isForbidden: false } as const;
  const open = openStatus(quoting, refused);
  expect(JSON.stringify(open)).not.toContain(word);
  expect(open).toMatchObject({ code: 422, details: { name: 'a', causes: [{ field: 'data[***]' }] } });
  expect(openStatus(quoting, { ...refused, secrecy: undefined })).toBe(quoting);
  // Of a webhook or a policy, which choose their code; but the roles have looked at nothing.
  expect(JSON.stringify(openStatus({ ...quoting, code: 403 }, refused))).not.toContain(word);
  expect(openStatus({ ...quoting, code: 403 }, { ...refused, isForbidden: true })).toMatchObject({ message: word });
  expect(openStatus({ ...quoting, code: 404 }, { ...refused, verb: 'get' })).toMatchObject({ message: word });
});

const key = `-----BEGIN PRIVATE KEY-----\n${word}\n-----END PRIVATE KEY-----`;
const pasted = Buffer.from(key).toString('base64');
const csr = { kind: 'CertificateSigningRequest', spec: { request: pasted, signerName: 'a.example.com/b' } };

test.each<[string, unknown, 'mistake' | undefined]>([
  ['as a request', csr, 'mistake'],
  ['at a wrong place', csr, undefined],
  ['in a list', { kind: 'CertificateSigningRequestList', items: [csr] }, 'mistake'],
  ['in a patch', [{ op: 'replace', path: '/spec/request', value: pasted }], 'mistake'],
  [
    'in what kubectl has applied',
    { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(csr) } } },
    'mistake',
  ],
])('a private key that was pasted %s is not shown', (_, body, secrecy) => {
  expect(JSON.stringify(withoutSecrets(body, secrecy))).not.toContain(pasted);
});

test('of requests for certificates everything else is shown', () => {
  const request = Buffer.from('-----BEGIN CERTIFICATE REQUEST-----').toString('base64');
  const text = { ...csr, spec: { ...csr.spec, request } };
  expect(withoutSecrets(text, 'mistake')).toEqual(text);
  expect(withoutSecrets(csr, 'mistake')).toEqual({ ...csr, spec: { ...csr.spec, request: '***' } });
  const refusal = invalid({ group: '', resource: 'certificatesigningrequests' } as never, 'a', []);
  const refused = { secrecy: 'mistake', verb: 'create', isForbidden: false } as const;
  expect(openStatus(refusal, refused)).toBe(refusal);
  expect(JSON.stringify(openStatus({ ...refusal, message: pasted }, refused))).not.toContain(pasted);
  const notes = { 'a.example.com/seen': 'yes', 'a.example.com/quoted': pasted };
  expect(openAnnotations(notes, 'mistake')).toEqual({ ...notes, 'a.example.com/quoted': '***' });
});

test('notes of others on what is secret are hidden', () => {
  const annotations = { 'authorization.k8s.io/decision': 'allow', 'a.example.com/seen': word };
  expect(openAnnotations(annotations, 'secret')).toEqual({ ...annotations, 'a.example.com/seen': '***' });
  expect(openAnnotations(annotations, undefined)).toBe(annotations);
});

test('which resources hold secrets', () => {
  expect(secrecyOf({ group: '', resource: 'secrets' })).toBe('secret');
  expect(secrecyOf({ group: '', resource: 'serviceaccounts/token' })).toBe('token');
  expect(secrecyOf({ group: 'authentication.k8s.io', resource: 'tokenreviews' })).toBe('token');
  for (const resource of ['certificatesigningrequests', 'certificatesigningrequests/approval'])
    expect(secrecyOf({ group: 'certificates.k8s.io', resource })).toBe('mistake');
  expect(secrecyOf({ group: 'apps', resource: 'secrets' })).toBeUndefined();
});
