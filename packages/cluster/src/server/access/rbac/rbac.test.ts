import { describe, expect, test } from 'vitest';
import { anonymous, authenticated, serviceAccount } from '../../../api/identities.ts';
import type { User } from '../../../api/operation.ts';
import { controllerUser, scheduler, systemIdentities } from '../../../api/system-identities.ts';
import { createFakeWorld } from '../../../testing/server/authorizer-world.ts';
import type { Access } from '../../context/authorizer.ts';
import { rbac } from './rbac.ts';

const group = 'rbac.authorization.k8s.io';
const apiVersion = `${group}/v1`;

function clusterRole(name: string, rules: readonly object[]): object {
  return { apiVersion, kind: 'ClusterRole', metadata: { name }, rules };
}

function role(namespace: string, name: string, rules: readonly object[]): object {
  return { apiVersion, kind: 'Role', metadata: { namespace, name }, rules };
}

/** `shop/b: Role r to User jane`, `b: ClusterRole view to Group dev`, `… to ServiceAccount ops/bot` */
function binding(line: string): object {
  const [, namespace, name, kind, granted, subjectKind, subject = ''] =
    /^(?:(\w+)\/)?(\w+): (\w+) (\S+) to (\w+) (\S+)$/.exec(line) ?? [];
  const [home, account] = subject.includes('/') ? subject.split('/') : [undefined, subject];
  return {
    apiVersion,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    roleRef: { apiGroup: group, kind, name: granted },
    subjects: [
      subjectKind === 'ServiceAccount'
        ? { kind: subjectKind, name: account, ...(home !== undefined && { namespace: home }) }
        : { apiGroup: group, kind: subjectKind, name: subject },
    ],
  };
}

/** `get pods shop web`, `get apps:deployments/scale shop`, `get nodes`, `get /healthz` */
function access(user: User, line: string): Access {
  const [verb = '', what = '', namespace, name] = line.split(' ');
  if (what.startsWith('/')) return { user, verb, path: what };
  const [resource = '', of = ''] = what.split(':').reverse();
  const place = namespace === undefined || namespace === '-' ? {} : { namespace };
  return { user, verb, group: of, resource, ...place, ...(name !== undefined && { name }) };
}

const jane = authenticated({ name: 'jane', groups: ['dev'] });
const bot = serviceAccount('ops', 'bot');
const nobody: User = { name: 'jane', groups: [] };

const objects = [
  clusterRole('reader', [
    { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] },
    { nonResourceURLs: ['/metrics', '/debug/*'], verbs: ['get'] },
  ]),
  clusterRole('scaler', [{ apiGroups: ['*'], resources: ['*/scale'], verbs: ['update'] }]),
  clusterRole('all', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]),
  role('shop', 'one', [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['get', 'delete'] }]),
];

describe.each<[string, readonly string[], User, string, boolean]>([
  ['a user in the whole cluster', ['b: ClusterRole reader to User jane'], jane, 'list pods', true],
  ['a user in every namespace', ['b: ClusterRole reader to User jane'], jane, 'get pods shop web', true],
  ['one verb, and not others', ['b: ClusterRole reader to User jane'], jane, 'delete pods shop web', false],
  ['one part', ['b: ClusterRole reader to User jane'], jane, 'get pods/log shop web', true],
  ['a thing, and not its parts', ['b: ClusterRole reader to User jane'], jane, 'get pods/exec shop web', false],
  ['one group, and not others', ['b: ClusterRole reader to User jane'], jane, 'get apps:pods shop web', false],
  ['a path', ['b: ClusterRole reader to User jane'], jane, 'get /metrics', true],
  ['paths below', ['b: ClusterRole reader to User jane'], jane, 'get /debug/pprof/heap', true],
  ['no path beside', ['b: ClusterRole reader to User jane'], jane, 'get /metrics/x', false],
  ['no path by another method', ['b: ClusterRole reader to User jane'], jane, 'post /metrics', false],
  ['the part of anything', ['b: ClusterRole scaler to User jane'], jane, 'update apps:deployments/scale shop x', true],
  [
    'the part, and not the thing',
    ['b: ClusterRole scaler to User jane'],
    jane,
    'update apps:deployments shop x',
    false,
  ],
  ['every resource, and no path', ['b: ClusterRole all to User jane'], jane, 'get /metrics', false],
  ['any part of anything', ['b: ClusterRole all to User jane'], jane, 'create x:things/door shop x', true],
  ['a group', ['b: ClusterRole reader to Group dev'], jane, 'list pods', true],
  ['no group of that name as a user', ['b: ClusterRole reader to User dev'], jane, 'list pods', false],
  ['everybody who is known', ['b: ClusterRole reader to Group system:authenticated'], jane, 'list pods', true],
  ['nobody who is not', ['b: ClusterRole reader to Group system:authenticated'], anonymous, 'list pods', false],
  ['whoever is not known', ['b: ClusterRole reader to Group system:unauthenticated'], anonymous, 'list pods', true],
  ['a service account', ['b: ClusterRole reader to ServiceAccount ops/bot'], bot, 'list pods', true],
  ['no service account of elsewhere', ['b: ClusterRole reader to ServiceAccount shop/bot'], bot, 'list pods', false],
  [
    'a service account by its user name',
    ['b: ClusterRole reader to User system:serviceaccount:ops:bot'],
    bot,
    'list pods',
    true,
  ],
  ['all service accounts', ['b: ClusterRole reader to Group system:serviceaccounts'], bot, 'list pods', true],
  ['those of a namespace', ['b: ClusterRole reader to Group system:serviceaccounts:ops'], bot, 'list pods', true],
  [
    'no namespace’s of another',
    ['b: ClusterRole reader to Group system:serviceaccounts:shop'],
    bot,
    'list pods',
    false,
  ],
  ['a role in its namespace', ['shop/b: Role one to User jane'], jane, 'get secrets shop a', true],
  ['no other name', ['shop/b: Role one to User jane'], jane, 'get secrets shop b', false],
  ['no list of all names', ['shop/b: Role one to User jane'], jane, 'list secrets shop', false],
  ['no other namespace', ['shop/b: Role one to User jane'], jane, 'get secrets ops a', false],
  ['no cluster', ['shop/b: ClusterRole all to User jane'], jane, 'get nodes - n', false],
  ['a cluster role in a namespace', ['shop/b: ClusterRole reader to User jane'], jane, 'list pods shop', true],
  ['it nowhere else', ['shop/b: ClusterRole reader to User jane'], jane, 'list pods', false],
  ['no path in a namespace', ['shop/b: ClusterRole reader to User jane'], jane, 'get /metrics', false],
  [
    'a service account of its own namespace',
    ['ops/b: ClusterRole reader to ServiceAccount bot'],
    bot,
    'list pods ops',
    true,
  ],
  ['no role of another namespace', ['ops/b: Role one to User jane'], jane, 'get secrets ops a', false],
])('a binding gives %s', (_, lines, user, line, allowed) => {
  test(`${user.name}: ${line}`, () => {
    const world = createFakeWorld({ objects: [...objects, ...lines.map(binding)] });
    expect(rbac.authorize(access(user, line), world).allowed).toBe(allowed);
  });
});

describe('from the start', () => {
  const world = createFakeWorld();
  const may = (user: User, line: string): boolean => rbac.authorize(access(user, line), world).allowed;

  test.each<[string, readonly User[], readonly User[]]>([
    ['get /version', [jane, anonymous], [nobody]],
    ['get /livez', [jane, anonymous], []],
    ['get /api', [jane, bot], [anonymous]],
    ['get /openapi/v3/apis/apps/v1', [jane], [anonymous]],
    ['get /metrics', [authenticated({ name: 'p', groups: ['system:monitoring'] })], [jane, anonymous]],
    ['get /signalbox/backup', [{ name: 'a', groups: ['system:masters'] }], [jane, bot, anonymous]],
    ['impersonate users - bob', [{ name: 'a', groups: ['system:masters'] }], [jane, bot]],
    ['create authorization.k8s.io:selfsubjectaccessreviews', [jane, bot], [anonymous]],
    ['create authorization.k8s.io:subjectaccessreviews', [], [jane, bot]],
    ['list pods shop', [], [jane, bot, anonymous]],
  ])('%s', (line, allowed, refused) => {
    expect(allowed.filter((user) => !may(user, line))).toEqual([]);
    expect(refused.filter((user) => may(user, line))).toEqual([]);
  });

  test('parts of the plane may do what is listed for them', () => {
    expect(may(scheduler.user, 'create pods/binding shop web')).toBe(true);
    expect(may(scheduler.user, 'create pods shop')).toBe(false);
    expect(may(controllerUser('replicaset'), 'create pods shop')).toBe(true);
    expect(may(controllerUser('replicaset'), 'get secrets shop a')).toBe(false);
    for (const { user, rules } of systemIdentities)
      for (const { verbs, apiGroups = [], resources = [], resourceNames: [name = 'x'] = [] } of rules)
        for (const verb of verbs)
          for (const of of apiGroups)
            for (const resource of resources) expect(may(user, `${verb} ${of}:${resource} shop ${name}`)).toBe(true);
  });
});

describe('what is written counts at once', () => {
  const line = 'list pods shop';
  const bound = binding('shop/b: Role r to User jane');
  const may = (world: ReturnType<typeof createFakeWorld>): boolean => rbac.authorize(access(jane, line), world).allowed;
  const pods = { apiGroups: [''], resources: ['pods'], verbs: ['list'] };

  test('roles and bindings come, change and go, in any order', () => {
    const world = createFakeWorld();
    world.put(bound);
    expect(may(world)).toBe(false);
    world.put(role('shop', 'r', [pods]));
    expect(may(world)).toBe(true);
    world.put(role('shop', 'r', [{ ...pods, verbs: ['get'] }]));
    expect(may(world)).toBe(false);
    world.put(role('shop', 'r', [pods]));
    world.put({ ...bound, subjects: [{ apiGroup: group, kind: 'User', name: 'bob' }] });
    expect(may(world)).toBe(false);
    world.put(bound);
    expect(may(world)).toBe(true);
    world.remove(role('shop', 'r', [pods]));
    expect(may(world)).toBe(false);
    world.put(role('shop', 'r', [pods]));
    world.remove(bound);
    expect(may(world)).toBe(false);
  });

  test('in the whole cluster too, and however often it was asked', () => {
    const world = createFakeWorld();
    const everywhere = binding('b: ClusterRole r to User jane');
    const asked = (): readonly boolean[] =>
      ['list pods', 'list pods shop', 'list pods shop'].map(
        (each) => rbac.authorize(access(jane, each), world).allowed,
      );
    world.put(clusterRole('r', [pods]));
    world.put(everywhere);
    expect(asked()).toEqual([true, true, true]);
    world.put(clusterRole('r', [{ ...pods, verbs: ['get'] }]));
    expect(asked()).toEqual([false, false, false]);
    world.put(clusterRole('r', [pods]));
    expect(asked()).toEqual([true, true, true]);
    world.remove(clusterRole('r', [pods]));
    expect(asked()).toEqual([false, false, false]);
    world.put(clusterRole('r', [pods]));
    world.remove(everywhere);
    expect(asked()).toEqual([false, false, false]);
  });

  test('what was stored before a start counts from its first question', () => {
    expect(may(createFakeWorld({ objects: [bound, role('shop', 'r', [pods])] }))).toBe(true);
  });

  test('a built-in role that somebody keeps as they made it stays so', () => {
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    const own = { apiVersion, kind: 'ClusterRole', metadata: { name: 'system:discovery', annotations }, rules: [] };
    const discover = access(jane, 'get /api');
    expect(rbac.authorize(discover, createFakeWorld({ objects: [own] })).allowed).toBe(false);
    expect(rbac.authorize(discover, createFakeWorld()).allowed).toBe(true);
  });
});

describe('who asks again', () => {
  const read = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

  /** How often the grants were looked through for these questions of one user. */
  function looks(lines: readonly string[], rules: readonly object[], bound = 'b: ClusterRole r to User jane'): number {
    const world = createFakeWorld({ objects: [clusterRole('r', rules), binding(bound)] });
    let count = 0;
    const to: typeof world.grants.to = (user, namespace) => {
      count++;
      return world.grants.to(user, namespace);
    };
    const { state } = world.grants;
    for (const line of lines) rbac.authorize(access(jane, line), { ...world, grants: { ...world.grants, state, to } });
    return count;
  }

  test('for what is allowed everywhere is answered without a look', () => {
    expect(looks(['get pods shop a', 'get pods shop b', 'get pods ops a', 'get pods'], [read])).toBe(1);
  });
  test.each<[string, readonly string[], object, string?]>([
    ['is refused', ['list pods', 'list pods'], read],
    ['hangs on a name', ['get pods shop a', 'get pods shop a'], { ...read, resourceNames: ['a'] }],
    ['hangs on a namespace', ['get pods shop a', 'get pods shop a'], read, 'shop/b: ClusterRole r to User jane'],
  ])('for what %s is looked at again', (_, lines, rules, bound) => {
    expect(looks(lines, [rules], bound)).toBe(lines.length);
  });
  test('for something that is spelt alike is looked at for itself', () => {
    const world = createFakeWorld({
      objects: [
        clusterRole('r', [{ apiGroups: ['a b'], resources: ['pods'], verbs: ['get'] }]),
        binding('b: ClusterRole r to User jane'),
      ],
    });
    const may = (verb: string, of: string): boolean =>
      rbac.authorize({ user: jane, verb, group: of, resource: 'pods' }, world).allowed;
    expect([may('get', 'a b'), may('get a', 'b'), may('get', 'a')]).toEqual([true, false, false]);
  });
});

describe('the reason', () => {
  const reason = (lines: readonly string[], user: User, line: string): string | undefined =>
    rbac.authorize(access(user, line), createFakeWorld({ objects: [...objects, ...lines.map(binding)] })).reason;

  test.each<[readonly string[], User, string, string | undefined]>([
    [
      ['b: ClusterRole reader to Group dev'],
      jane,
      'list pods',
      'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to Group "dev"',
    ],
    [
      ['shop/b: Role one to User jane'],
      jane,
      'get secrets shop a',
      'RBAC: allowed by RoleBinding "b/shop" of Role "one" to User "jane"',
    ],
    [
      ['ops/b: ClusterRole reader to ServiceAccount bot'],
      bot,
      'list pods ops',
      'RBAC: allowed by RoleBinding "b/ops" of ClusterRole "reader" to ServiceAccount "bot/ops"',
    ],
    [[], jane, 'list pods', undefined],
    [
      ['b: ClusterRole gone to User jane'],
      jane,
      'list pods',
      'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    ],
    [
      ['b: ClusterRole gone to User jane', 'shop/c: Role lost to User jane'],
      jane,
      'list pods shop',
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "lost" not found]',
    ],
  ])('%j', (lines, user, line, expected) => expect(reason(lines, user, line)).toBe(expected));
});

test('all that somebody may do in a namespace', () => {
  const lines = ['shop/b: Role one to User jane', 'ops/c: ClusterRole all to User jane'];
  const world = createFakeWorld({ objects: [...objects, ...lines.map(binding)] });
  const { incomplete, resourceRules, nonResourceRules } = rbac.rulesFor({ user: jane, namespace: 'shop' }, world);
  expect(incomplete).toBe(false);
  expect(resourceRules).toContainEqual({
    verbs: ['get', 'delete'],
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: ['a'],
  });
  expect(resourceRules).not.toContainEqual(expect.objectContaining({ resources: ['*'] }));
  expect(nonResourceRules.flatMap(({ nonResourceURLs }) => nonResourceURLs)).toContain('/apis/*');
  expect(rbac.rulesFor({ user: anonymous, namespace: 'shop' }, world).resourceRules).toEqual([]);
});
