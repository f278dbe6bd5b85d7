import { describe, expect, test } from 'vitest';
import { groups } from '../../api/identities.ts';
import { apiAudiences } from '../context/tokens.ts';
import { type Authentication, type Credentials, createAuthenticate, knownTokens } from './authenticate.ts';

const { masters } = groups;
const admin = { name: 'admin', groups: [masters] };
const robot = { name: 'robot', groups: ['robots'] };
const authenticate = createAuthenticate({
  tokens: [
    { token: 'secret-of-admin', user: admin },
    { token: 'secret-of-robot', user: robot },
  ],
});

function who(credentials: Partial<Credentials>): Authentication | Promise<Authentication> {
  return authenticate({ authorization: undefined, certificate: undefined, impersonate: undefined, ...credentials });
}

const known = (name: string, ...groups: readonly string[]): Authentication => ({ is: 'user', user: { name, groups } });
const jane = { commonName: 'jane', organizations: ['dev', 'ops'], digest: '0a1b' };
const knownJane: Authentication = {
  is: 'user',
  user: {
    name: 'jane',
    groups: ['dev', 'ops', 'system:authenticated'],
    extra: { 'authentication.kubernetes.io/credential-id': ['X509SHA256=0a1b'] },
  },
};

test.each<[string, Partial<Credentials>, Authentication]>([
  ['nothing', {}, { is: 'anonymous' }],
  ['an empty header', { authorization: ' ' }, { is: 'anonymous' }],
  ['a token', { authorization: 'Bearer secret-of-robot' }, known('robot', 'robots', 'system:authenticated')],
  [
    'a token, whatever the case of the scheme',
    { authorization: 'bearer  secret-of-admin ' },
    known('admin', masters, 'system:authenticated'),
  ],
  ['a certificate, and which one it was', { certificate: jane }, knownJane],
  ['a certificate and a wrong token', { certificate: jane, authorization: 'Bearer x' }, knownJane],
  [
    'somebody who wants to act for somebody else',
    { authorization: 'Bearer secret-of-admin', impersonate: { name: 'jane', groups: ['dev'] } },
    {
      is: 'user',
      user: { name: 'admin', groups: [masters, 'system:authenticated'] },
      as: { name: 'jane', groups: ['dev'] },
    },
  ],
  ['nobody acting for somebody', { impersonate: { name: 'jane', groups: [] } }, { is: 'anonymous' }],
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

describe('tokens that somebody else knows', () => {
  const asked: string[] = [];
  const others = createAuthenticate({
    tokens: [{ token: 'secret-of-admin', user: admin }],
    others: async (token) => {
      asked.push(token);
      if (token === 'signed')
        return { known: true, user: { ...robot, uid: '7', extra: { pod: ['p'] } }, audiences: [] };
      return { known: false, why: `${token} has expired` };
    },
  });
  const shown = (authorization: string): unknown =>
    others({ authorization, certificate: undefined, impersonate: { name: 'jane', groups: [] } });

  test('are asked about, with all that is known of who shows them', async () => {
    expect(await shown('Bearer signed')).toEqual({
      is: 'user',
      user: { name: 'robot', groups: ['robots', 'system:authenticated'], uid: '7', extra: { pod: ['p'] } },
      as: { name: 'jane', groups: [] },
    });
  });
  test('are refused without a word about why', async () => {
    expect(await shown('Bearer old')).toEqual({
      is: 'refused',
      status: expect.objectContaining({ code: 401, message: 'Unauthorized' }),
    });
  });
  test('are not asked about when the token is known here', () => {
    asked.length = 0;
    expect(shown('Bearer secret-of-admin')).toMatchObject({ is: 'user' });
    expect(asked).toEqual([]);
  });
});

test('a known token is one of the API server, for whoever asks about it', () => {
  const known = knownTokens([{ token: 'secret-of-robot', user: robot }]);
  const user = { name: 'robot', groups: ['robots', 'system:authenticated'] };
  expect(known('secret-of-robot')).toEqual({ known: true, user, audiences: apiAudiences });
  expect(known('secret-of-robot', ['vault', ...apiAudiences])).toMatchObject({ audiences: apiAudiences });
  expect(known('secret-of-robot', ['vault'])).toEqual({ known: false });
  expect(known('other')).toEqual({ known: false });
});
