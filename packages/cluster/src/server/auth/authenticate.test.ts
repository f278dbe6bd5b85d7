import { expect, test } from 'vitest';
import { type Authentication, type Credentials, createAuthenticate, masters } from './authenticate.ts';

const admin = { name: 'admin', groups: [masters] };
const robot = { name: 'robot', groups: ['robots'] };
const authenticate = createAuthenticate({
  tokens: [
    { token: 'secret-of-admin', user: admin },
    { token: 'secret-of-robot', user: robot },
  ],
});

function who(credentials: Partial<Credentials>): Authentication {
  return authenticate({ authorization: undefined, certificate: undefined, impersonate: undefined, ...credentials });
}

const known = (name: string, ...groups: readonly string[]): Authentication => ({ is: 'user', user: { name, groups } });
const jane = { commonName: 'jane', organizations: ['dev', 'ops'] };

test.each<[string, Partial<Credentials>, Authentication]>([
  ['nothing', {}, { is: 'anonymous' }],
  ['an empty header', { authorization: ' ' }, { is: 'anonymous' }],
  ['a token', { authorization: 'Bearer secret-of-robot' }, known('robot', 'robots', 'system:authenticated')],
  [
    'a token, whatever the case of the scheme',
    { authorization: 'bearer  secret-of-admin ' },
    known('admin', masters, 'system:authenticated'),
  ],
  ['a certificate', { certificate: jane }, known('jane', 'dev', 'ops', 'system:authenticated')],
  [
    'a certificate and a wrong token',
    { certificate: jane, authorization: 'Bearer x' },
    known('jane', 'dev', 'ops', 'system:authenticated'),
  ],
  [
    'an administrator acting for somebody',
    { authorization: 'Bearer secret-of-admin', impersonate: { user: 'jane', groups: ['dev'] } },
    known('jane', 'dev', 'system:authenticated'),
  ],
  ['nobody acting for somebody', { impersonate: { user: 'jane', groups: [] } }, { is: 'anonymous' }],
])('%s', (_, credentials, expected) => expect(who(credentials)).toEqual(expected));

test.each([
  'Bearer wrong',
  'Bearer secret-of-robo',
  'Bearer secret-of-robot2',
  'Bearer',
  'Bearer a b',
  'Basic YTpi',
  'secret-of-robot',
])('%s is refused with a 401', (authorization) => {
  expect(who({ authorization })).toMatchObject({ is: 'refused', status: { code: 401, reason: 'Unauthorized' } });
});

test('only administrators may act for others', () => {
  const answer = who({ authorization: 'Bearer secret-of-robot', impersonate: { user: 'admin', groups: [masters] } });
  expect(answer).toMatchObject({ is: 'refused', status: { code: 403, reason: 'Forbidden' } });
});
