import { describe, expect, test } from 'vitest';
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import { compactRules, formatRule, missingRules } from './coverage.ts';

const rule = (verbs: string, group: string, resources: string, names = ''): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: group.split(','),
  resources: resources.split(','),
  ...(names !== '' && { resourceNames: names.split(',') }),
});
const path = (verbs: string, paths: string): PolicyRule => ({
  verbs: verbs.split(','),
  nonResourceURLs: paths.split(','),
});
const all = rule('*', '*', '*');

test.each<[string, readonly PolicyRule[], PolicyRule, string[]]>([
  ['the same', [rule('get', '', 'pods')], rule('get', '', 'pods'), []],
  ['a part', [rule('get,list', ',apps', 'pods,secrets')], rule('list', 'apps', 'secrets'), []],
  [
    'pieces of several',
    [rule('get', '', 'pods'), rule('list', '', 'pods,secrets'), rule('get', '', 'secrets')],
    rule('get,list', '', 'pods,secrets'),
    [],
  ],
  ['everything', [all], rule('get', 'apps', 'deployments/scale'), []],
  ['what everything is not: paths', [all], path('get', '/x'), ['{NonResourceURLs:["/x"], Verbs:["get"]}']],
  [
    'all of a resource by one of its verbs',
    [rule('get', '', 'pods')],
    rule('*', '', 'pods'),
    ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'],
  ],
  [
    'a verb more',
    [rule('get', '', 'pods')],
    rule('get,watch,delete', '', 'pods'),
    ['{APIGroups:[""], Resources:["pods"], Verbs:["watch" "delete"]}'],
  ],
  ['a part of anything', [rule('get', '*', '*/scale')], rule('get', 'apps', 'deployments/scale'), []],
  [
    'a thing by a part of it',
    [rule('get', '*', '*/scale')],
    rule('get', 'apps', 'deployments'),
    ['{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}'],
  ],
  ['one name by all', [rule('get', '', 'secrets')], rule('get', '', 'secrets', 'a,b'), []],
  [
    'a name more',
    [rule('get', '', 'secrets', 'a')],
    rule('get', '', 'secrets', 'a,b'),
    ['{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}'],
  ],
  [
    'all by one name',
    [rule('get', '', 'secrets', 'a')],
    rule('get', '', 'secrets'),
    ['{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'],
  ],
  ['a path below', [path('get', '/apis/*')], path('get', '/apis/apps,/apis/x/*'), []],
  ['all paths', [path('*', '*')], path('get', '/apis/*'), []],
  ['a path beside', [path('get', '/a*')], path('get', '/b'), ['{NonResourceURLs:["/b"], Verbs:["get"]}']],
])('whoever holds %s', (_, held, wanted, missing) => {
  expect(compactRules(missingRules(held, [wanted])).map(formatRule)).toEqual(missing);
});

describe('put together', () => {
  test('pieces that differ in their verb are one rule, those of other places are not', () => {
    const missing = missingRules([], [rule('get,list', '', 'pods,secrets'), path('get,head', '/x')]);
    expect(compactRules(missing).map(formatRule)).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
      '{NonResourceURLs:["/x"], Verbs:["head"]}',
    ]);
  });
});
