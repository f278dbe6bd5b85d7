import { describe, expect, test } from 'vitest';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/generated/flowcontrol-v1.ts';
import { anonymous, authenticated, groups, serviceAccount } from '../../api/identities.ts';
import type { StoredMeta } from '../../api/meta.ts';
import type { User } from '../../api/operation.ts';
import { builtinLevels, builtinSchemas } from '../../resources/flowcontrol/builtin.ts';
import type { Access } from '../context/authorizer.ts';
import { configure } from './configuration.ts';

const builtin = { schemas: builtinSchemas, levels: builtinLevels, seats: 600 };

const jane = authenticated({ name: 'jane', groups: [] });
const admin = authenticated({ name: 'admin', groups: [groups.masters] });
const node = authenticated({ name: 'system:node:a', groups: [groups.nodes] });
const manager = authenticated({ name: 'system:kube-controller-manager', groups: [] });
const robot = serviceAccount('shop', 'robot');
const planeRobot = serviceAccount('kube-system', 'job-controller');

const on = (verb: string, resource: string, rest: Partial<Access> = {}) => ({ verb, group: '', resource, ...rest });
const lease = (verb: string): object => on(verb, 'leases', { group: 'coordination.k8s.io', namespace: 'kube-system' });

test.each<[string, User, object, string]>([
  ['an administrator', admin, on('list', 'pods'), 'exempt exempt '],
  ['an administrator of anything else', admin, { verb: 'post', path: '/x' }, 'exempt exempt '],
  ['a probe', anonymous, { verb: 'get', path: '/healthz' }, 'probes exempt '],
  ['one check of a probe', anonymous, { verb: 'get', path: '/readyz/ping' }, 'probes exempt '],
  [
    'what only looks like a probe',
    anonymous,
    { verb: 'get', path: '/readyzz' },
    'global-default global-default system:anonymous',
  ],
  ['a lead', manager, lease('update'), 'system-leader-election leader-election system:kube-controller-manager'],
  [
    'a lead of an account',
    planeRobot,
    lease('get'),
    'system-leader-election leader-election system:serviceaccount:kube-system:job-controller',
  ],
  ['leases that are listed', manager, lease('list'), 'kube-controller-manager workload-high kube-system'],
  ['a lead of anybody', robot, lease('update'), 'service-accounts workload-low system:serviceaccount:shop:robot'],
  [
    'the status of a node',
    node,
    on('patch', 'nodes/status', { name: 'a' }),
    'system-node-high node-high system:node:a',
  ],
  ['the lease of a node', node, lease('update'), 'system-node-high node-high system:node:a'],
  ['another subresource of a node', node, on('get', 'nodes/proxy', { name: 'a' }), 'system-nodes system system:node:a'],
  ['pods of a node', node, on('list', 'pods'), 'system-nodes system system:node:a'],
  ['the manager of all namespaces', manager, on('list', 'pods'), 'kube-controller-manager workload-high '],
  [
    'the manager of one',
    manager,
    on('create', 'pods', { namespace: 'shop' }),
    'kube-controller-manager workload-high shop',
  ],
  [
    'an account of the plane',
    planeRobot,
    on('create', 'pods', { namespace: 'shop' }),
    'kube-system-service-accounts workload-high shop',
  ],
  [
    'one that is only called so',
    authenticated({ name: 'system:serviceaccount:kube-systemic:x', groups: [groups.serviceAccounts] }),
    on('get', 'pods'),
    'service-accounts workload-low system:serviceaccount:kube-systemic:x',
  ],
  ['a person', jane, on('get', 'pods', { namespace: 'shop' }), 'global-default global-default jane'],
  ['whoever is in no group', { name: 'x', groups: [] }, on('get', 'pods'), 'catch-all catch-all x'],
])('%s', (_, user, asked, expected) => {
  const { schema, level, distinguisher } = configure(builtin).classify({ user, ...asked } as Access);
  expect(`${schema.name} ${level.name} ${distinguisher}`).toBe(expected);
});

test('seats are shared out as upstream’s metrics show them of the same objects', () => {
  const seats = [...configure(builtin).levels.values()].map(({ name, seats: { nominal, own, most } }) => [
    name,
    ...[nominal, own, most],
  ]);
  expect(Object.fromEntries(seats.map(([name, ...rest]) => [name, rest]))).toEqual({
    exempt: [0, 0, 600],
    'catch-all': [13, 13, 613],
    system: [74, 50, 674],
    'node-high': [98, 73, 698],
    'leader-election': [25, 25, 625],
    'workload-high': [98, 49, 698],
    'workload-low': [245, 24, 845],
    'global-default': [49, 24, 649],
  });
});

function schema(name: string, spec: Partial<FlowSchema['spec']>): FlowSchema {
  const rules = [{ subjects: [{ kind: 'User', user: { name: 'jane' } }], nonResourceRules: [], resourceRules: [] }];
  const of = { priorityLevelConfiguration: { name: 'system' }, matchingPrecedence: 50, rules, ...spec };
  const metadata = { name, uid: `uid-of-${name}` } as StoredMeta;
  return { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata, spec: of, status: {} };
}

const get = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['shop'] };
const subjects = [{ kind: 'User', user: { name: 'jane' } }];

describe('schemas of somebody’s own', () => {
  const classify = (schemas: readonly FlowSchema[], access: object): string =>
    configure({ ...builtin, schemas: [...builtinSchemas, ...schemas] }).classify({ user: jane, ...access } as Access)
      .schema.name;

  test.each<[object, object, boolean]>([
    [{ resourceRules: [get] }, on('get', 'pods', { namespace: 'shop' }), true],
    [{ resourceRules: [get] }, on('get', 'pods', { namespace: 'other' }), false],
    [{ resourceRules: [get] }, on('get', 'pods'), false],
    [{ resourceRules: [{ ...get, clusterScope: true }] }, on('get', 'pods'), true],
    [{ resourceRules: [get] }, on('get', 'pods/log', { namespace: 'shop' }), false],
    [{ resourceRules: [get] }, on('list', 'pods', { namespace: 'shop' }), false],
    [{ resourceRules: [get] }, on('get', 'pods', { namespace: 'shop', group: 'apps' }), false],
    [{ nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/a/*'] }] }, { verb: 'get', path: '/a/b' }, true],
    [{ nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/a/*'] }] }, { verb: 'get', path: '/ab' }, false],
    [{ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['*'] }] }, { verb: 'post', path: '/ab' }, false],
  ])('%j and %j: %s', (rule, access, matches) => {
    expect(classify([schema('mine', { rules: [{ subjects, ...rule }] })], access) === 'mine').toBe(matches);
  });

  const anything = { rules: [{ subjects, nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }] };
  const asked = { verb: 'get', path: '/a' };

  test('the one with the least precedence comes first, of two alike the first by name', () => {
    expect(classify([schema('b', anything), schema('a', anything)], asked)).toBe('a');
    expect(classify([schema('b', { ...anything, matchingPrecedence: 49 }), schema('a', anything)], asked)).toBe('b');
  });

  test('one that dangles is as if it were not there', () => {
    const dangles = schema('mine', { ...anything, priorityLevelConfiguration: { name: 'nowhere' } });
    expect(classify([dangles], asked)).toBe('global-default');
  });

  test('answers name both objects once they are written', () => {
    const level = { ...builtinLevels[2], metadata: { name: 'system', uid: 'uid-of-system' } };
    const { classify: of } = configure({
      ...{ schemas: [schema('mine', anything)], levels: [level as PriorityLevelConfiguration], seats: 10 },
    });
    const headersOf = (access: object): object => of({ user: jane, ...access } as Access).schema.headers;
    expect(headersOf(asked)).toEqual({
      'x-kubernetes-pf-flowschema-uid': 'uid-of-mine',
      'x-kubernetes-pf-prioritylevel-uid': 'uid-of-system',
    });
    expect(headersOf(on('get', 'pods'))).toEqual({});
  });
});

test('what must be there is, also where nothing is stored; shares alone decide how much of it', () => {
  const { levels, classify } = configure({ schemas: [], levels: [], seats: 600 });
  expect([...levels.keys()]).toEqual(['exempt', 'catch-all']);
  expect(classify({ user: admin, verb: 'get', path: '/a' }).level.isExempt).toBe(true);
  expect(classify({ user: jane, verb: 'get', path: '/a' }).schema.name).toBe('catch-all');
  expect(levels.get('catch-all')?.seats.nominal).toBe(600);
});
