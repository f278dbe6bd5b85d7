import { expect, test } from 'vitest';
import { accessLine } from '../../testing/server/fake-authorizer.ts';
import { impersonated, impersonationAccess } from './impersonation.ts';

const admin = { name: 'admin', groups: [] };

test('each thing that is said of somebody is asked about', () => {
  const joe = { name: 'joe', groups: ['ops'], uid: '7', extra: { scopes: ['a', 'b'] } };
  const asked = impersonationAccess(admin, joe).map(({ group, resource, name }) => `${group}/${resource} ${name}`);
  expect(asked).toEqual([
    '/users joe',
    '/groups ops',
    'authentication.k8s.io/userextras/scopes a',
    'authentication.k8s.io/userextras/scopes b',
    'authentication.k8s.io/uids 7',
  ]);
  expect(impersonationAccess(admin, joe).map(accessLine)).toHaveLength(5);
});

test('and counts: a service account has its groups besides', () => {
  const joe = { name: 'joe', groups: ['ops'], uid: '7', extra: { scopes: ['a'] } };
  expect(impersonated(joe)).toEqual({ ...joe, groups: ['ops', 'system:authenticated'] });
  for (const groups of [[], ['system:unauthenticated']])
    expect(impersonated({ name: 'system:anonymous', groups }).groups).toEqual(['system:unauthenticated']);
  expect(impersonated({ name: 'joe', groups: ['system:unauthenticated'] }).groups).toEqual(['system:unauthenticated']);
  expect(impersonated({ name: 'system:serviceaccount:shop:web', groups: [], uid: '8' })).toMatchObject({
    groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
    uid: '8',
  });
});
