import { describe, expect, test } from 'vitest';
import { type RequestHeaderTerms, usualHeaders } from '../../api/front-proxy.ts';
import { headerUser, isIdentityHeader } from './request-header.ts';

const usual: RequestHeaderTerms = { ca: '', allowedNames: [], ...usualHeaders };

describe('whom a proxy says that asks', () => {
  test.each<[string, readonly string[], ReturnType<typeof headerUser>]>([
    ['nobody', ['Accept', '*/*'], undefined],
    ['an empty name', ['X-Remote-User', '', 'X-Remote-Group', 'system:masters'], undefined],
    ['groups without a name', ['X-Remote-Group', 'system:masters'], undefined],
    ['a name', ['x-remote-user', 'jane'], { name: 'jane', groups: [] }],
    ['the first of several', ['X-Remote-User', 'jane', 'X-Remote-User', 'root'], { name: 'jane', groups: [] }],
    [
      'all groups, but for empty ones',
      ['X-Remote-User', 'jane', 'X-Remote-Group', 'a', 'X-REMOTE-GROUP', '', 'X-Remote-Group', 'b,c'],
      { name: 'jane', groups: ['a', 'b,c'] },
    ],
    ['a uid', ['X-Remote-User', 'jane', 'X-Remote-Uid', '7'], { name: 'jane', groups: [], uid: '7' }],
    [
      'more, under keys that are unescaped and small',
      [
        ...['X-Remote-User', 'jane', 'X-Remote-Extra-Scopes', 'read', 'X-Remote-Extra-scopes', 'write'],
        ...['X-Remote-Extra-Acme.com%2fProject', 'p', 'X-Remote-Extra-%ZZ', 'kept'],
      ],
      { name: 'jane', groups: [], extra: { scopes: ['read', 'write'], 'acme.com/project': ['p'], '%zz': ['kept'] } },
    ],
  ])('%s', (_, lines, user) => expect(headerUser(lines, usual)).toEqual(user));

  test('in the headers that were chosen, and in no others', () => {
    const terms = {
      ...usual,
      usernameHeaders: ['X-User', 'X-Login'],
      groupHeaders: ['X-Team', 'X-Role'],
      uidHeaders: [],
    };
    const lines = ['X-Remote-User', 'root', 'X-Login', 'jane', 'X-Role', 'r', 'X-Team', 't', 'X-Remote-Uid', '7'];
    expect(headerUser(lines, terms)).toEqual({ name: 'jane', groups: ['t', 'r'] });
    expect(headerUser(lines, { ...terms, usernameHeaders: [] })).toBeUndefined();
  });
});

test.each([
  ['x-remote-user', true],
  ['X-Remote-Group', true],
  ['x-remote-extra-anything', true],
  ['x-remote-use', false],
  ['impersonate-user', false],
])('%s says who asks: %s', (name, expected) => expect(isIdentityHeader(name, usual)).toBe(expected));
