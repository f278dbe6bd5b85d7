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
  const quoting = { ...refusal, message: word, details: { name: 'a', causes: [{ message: word, field: 'data' }] } };
  const refused = { secrecy: 'secret', verb: 'create', isForbidden: false } as const;
  const open = openStatus(quoting, refused);
  expect(JSON.stringify(open)).not.toContain(word);
  expect(open).toMatchObject({ code: 422, details: { name: 'a', causes: [{ field: 'data' }] } });
  expect(openStatus(quoting, { ...refused, secrecy: undefined })).toBe(quoting);
  // Of a webhook or a policy, which choose their code; but the roles have looked at nothing.
  expect(JSON.stringify(openStatus({ ...quoting, code: 403 }, refused))).not.toContain(word);
  expect(openStatus({ ...quoting, code: 403 }, { ...refused, isForbidden: true })).toMatchObject({ message: word });
  expect(openStatus({ ...quoting, code: 404 }, { ...refused, verb: 'get' })).toMatchObject({ message: word });
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
  expect(secrecyOf({ group: 'apps', resource: 'secrets' })).toBeUndefined();
});
