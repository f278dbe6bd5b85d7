import { expect, test } from 'vitest';
import type { PolicyRule } from '../../../api/generated/rbac-v1.ts';
import type { User } from '../../../api/operation.ts';
import { allows } from './rule.ts';

const user: User = { name: 'jane', groups: [] };

test.each<[string, PolicyRule, readonly string[], readonly string[]]>([
  [
    'one resource',
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] },
    ['get deployments apps'],
    ['list deployments apps', 'get deployments/scale apps', 'get deployments other', 'get /deployments'],
  ],
  [
    'a part of anything',
    { apiGroups: ['*'], resources: ['*/scale'], verbs: ['get'] },
    ['get deployments/scale apps', 'get things/scale example.com'],
    ['get deployments apps', 'get deployments/status apps'],
  ],
  [
    'anything',
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    ['delete pods apps', 'get pods/log apps'],
    ['get /livez'],
  ],
  [
    'paths',
    { nonResourceURLs: ['/livez', '/api/*'], verbs: ['get'] },
    ['get /livez', 'get /api/v1'],
    ['get /livez/ping'],
  ],
])('a rule for %s', (_, rule, allowed, refused) => {
  const asked = (line: string) => {
    const [verb = '', what = '', group = ''] = line.split(' ');
    return what.startsWith('/') ? { user, verb, path: what } : { user, verb, resource: what, group };
  };
  expect(allowed.filter((line) => !allows(rule, asked(line)))).toEqual([]);
  expect(refused.filter((line) => allows(rule, asked(line)))).toEqual([]);
});

test('a rule for names is for them alone', () => {
  const rule = { apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['get'] };
  const asked = { user, verb: 'get', group: '', resource: 'secrets' };
  expect([allows(rule, { ...asked, name: 'a' }), allows(rule, { ...asked, name: 'b' }), allows(rule, asked)]).toEqual([
    true,
    false,
    false,
  ]);
});
