import { expect, test } from 'vitest';
import { anonymous, serviceAccount } from '../../api/identities.ts';
import type { User } from '../../api/operation.ts';
import { apiServer } from '../../api/system-identities.ts';
import type { AuthorizerWorld } from '../context/authorizer.ts';
import { knownUsers } from './known-users.ts';

/** It looks at nobody but the user. */
const world = {} as AuthorizerWorld;
const jane: User = { name: 'jane', groups: ['system:authenticated'] };
const robot = serviceAccount('default', 'robot');
const nameless: User = { name: '', groups: [] };
const disguised: User = { name: 'jane', groups: ['system:unauthenticated'] };

test.each<[string, readonly User[], readonly User[]]>([
  ['list secrets', [jane, robot, apiServer.user], [anonymous, nameless, disguised]],
  ['deletecollection pods', [jane, robot], [anonymous]],
  ['impersonate users', [apiServer.user], [jane, robot, anonymous]],
  ['get /signalbox/backup', [apiServer.user], [jane, robot, anonymous]],
  ['get /api', [jane, robot], [anonymous, nameless, disguised]],
  ['get /openapi/v2', [jane], [anonymous]],
  ['get /no/such/path', [jane], [anonymous]],
  ['get /version', [jane, anonymous, nameless, disguised], []],
  ['get /healthz', [jane, anonymous], []],
  ['get /livez/ping', [jane, anonymous], []],
  ['head /readyz', [jane, anonymous], []],
  ['post /readyz', [jane], [anonymous]],
  ['get /livezx', [jane], [anonymous]],
  ['get /version/x', [jane], [anonymous]],
])('%s', (line, may, mayNot) => {
  const [verb = '', what = ''] = line.split(' ');
  const allows = (user: User): boolean => {
    const access = what.startsWith('/') ? { user, verb, path: what } : { user, verb, group: '', resource: what };
    return knownUsers.authorize(access, world).allowed;
  };
  expect(may.filter((user) => !allows(user))).toEqual([]);
  expect(mayNot.filter(allows)).toEqual([]);
});

test('the rules that are shown are those of whoever is known', () => {
  const verbsOf = (user: User): readonly string[] =>
    knownUsers.rulesFor({ user, namespace: 'default' }, world).resourceRules.flatMap(({ verbs }) => verbs);
  expect([verbsOf(jane), verbsOf(anonymous)]).toEqual([['*'], []]);
});
