import { beforeEach, describe, expect, test } from 'vitest';
import { clusterroles, configmaps, namespaces, pods, selfsubjectaccessreviews } from '../../api/generated/kinds.ts';
import { anonymous } from '../../api/identities.ts';
import type { Operation } from '../../api/operation.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { admin, configMap, createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';
import { createFakeAuthorizer, type FakeAuthorizer } from '../../testing/server/fake-authorizer.ts';
import { type AskWire, createWire } from '../../testing/wire.ts';
import type { Authorizer } from '../context/authorizer.ts';
import { objectKey, resourcePrefix } from '../context/keys.ts';

let authorizer: FakeAuthorizer;
let plane: TestServer;
let ask: AskWire;

beforeEach(async () => {
  authorizer = createFakeAuthorizer();
  plane = await createTestServer({ authorizer, definitions: builtinDefinitions });
  await plane.create(pods, pod('web', { nodeName: 'node-1' }));
  await plane.create(configmaps, configMap('a'));
  ask = createWire(plane.server);
  authorizer.asked.length = 0;
});

const group = '/apis/apps/v1/namespaces/default/deployments';
const core = '/api/v1/namespaces/default';

describe.each<[string, string, string]>([
  ['GET', '/', 'get /'],
  ['GET', '/version', 'get /version'],
  ['GET', '/api', 'get /api'],
  ['GET', '/apis', 'get /apis'],
  ['GET', '/api/v1', 'get /api/v1'],
  ['GET', '/apis/apps', 'get /apis/apps'],
  ['GET', '/apis/apps/v1/', 'get /apis/apps/v1'],
  ['GET', '/openapi/v2', 'get /openapi/v2'],
  ['GET', '/openapi/v3', 'get /openapi/v3'],
  ['GET', '/openapi/v3/apis/apps/v1', 'get /openapi/v3/apis/apps/v1'],
  ['GET', '/livez', 'get /livez'],
  ['GET', '/live%7A/ping?verbose', 'get /livez/ping'],
  ['HEAD', '/readyz', 'head /readyz'],
  ['GET', '/healthz', 'get /healthz'],
  ['GET', '/signalbox/backup', 'get /signalbox/backup'],
  ['POST', '/no/such/path', 'post /no/such/path'],
  ['GET', `${core}/configmaps`, 'list configmaps default'],
  ['GET', '/api/v1/configmaps', 'list configmaps'],
  ['GET', `${core}/configmaps?fieldSelector=metadata.name%3Da`, 'list configmaps default/a'],
  ['GET', `${core}/configmaps?limit=many`, 'list configmaps default'],
  ['GET', `${core}/configmaps?watch=1`, 'watch configmaps default'],
  ['GET', `${core}/configmaps/a?watch=1`, 'watch configmaps default/a'],
  ['GET', `${core}/configmaps/a`, 'get configmaps default/a'],
  ['POST', `${core}/configmaps`, 'create configmaps default'],
  ['PUT', `${core}/configmaps/a`, 'update configmaps default/a'],
  ['PATCH', `${core}/configmaps/a`, 'patch configmaps default/a'],
  ['DELETE', `${core}/configmaps/a`, 'delete configmaps default/a'],
  ['DELETE', `${core}/configmaps`, 'deletecollection configmaps default'],
  ['GET', '/api/v1/namespaces/default', 'get namespaces default/default'],
  ['POST', '/api/v1/namespaces', 'create namespaces'],
  ['PUT', '/api/v1/namespaces/default/finalize', 'update namespaces/finalize default/default'],
  ['GET', `${core}/pods/web/log`, 'get pods/log default/web'],
  ['HEAD', `${core}/pods/web/proxy/page`, 'get pods/proxy default/web'],
  ['OPTIONS', `${core}/pods/web/proxy/page`, 'options pods/proxy default/web'],
  ['GET', `${core}/pods/web/exec`, 'get pods/exec default/web'],
  ['POST', `${core}/pods/web/exec`, 'create pods/exec default/web'],
  ['POST', `${core}/pods/web/binding`, 'create pods/binding default/web'],
  ['POST', `${core}/bindings`, 'create bindings default'],
  ['POST', `${core}/pods/web/eviction`, 'create pods/eviction default/web'],
  ['PATCH', `${group}/web/scale`, 'patch deployments.apps/scale default/web'],
  ['GET', '/apis/example.com/v1/things', 'list things.example.com'],
])('%s %s', (method, target, line) => {
  test(`asks once: ${line}`, async () => {
    await ask(method, target, { body: {}, contentType: 'application/merge-patch+json' });
    expect(authorizer.asked).toEqual([`admin: ${line}`]);
  });
  test('is refused before anything else is looked at', async () => {
    authorizer.refuses = (asked) => asked === line;
    const { revision } = plane.store;
    const answer = await ask(method, target, { body: '{ no JSON', contentType: 'text/nonsense', accept: 'text/none' });
    expect(answer).toMatchObject({ code: 403, json: { reason: 'Forbidden' } });
    expect(authorizer.asked).toEqual([`admin: ${line}`]);
    expect(plane.store.revision).toBe(revision);
  });
});

const methods: Readonly<Record<string, string>> = { get: 'GET', update: 'PUT', patch: 'PATCH', create: 'POST' };

test('every door of every kind asks once, and the same by HTTP and in process', async () => {
  authorizer.refuses = () => true;
  const { signal } = new AbortController();
  let doors = 0;
  for (const { definition, subresources } of plane.server.describe()) {
    const own = definition.hasStatus ? [{ name: 'status', verbs: ['get', 'update', 'patch'] }] : [];
    for (const { name: subresource, verbs } of [...own, ...subresources.values()])
      for (const verb of verbs) {
        doors++;
        const { group, version, resource, namespaced } = definition;
        const root = group === '' ? '/api' : `/apis/${group}`;
        const within = namespaced ? `/namespaces/default` : '';
        const answer = await ask(methods[verb] ?? '', `${root}/${version}${within}/${resource}/x/${subresource}`);
        const place = { resource: definition, name: 'x', subresource, ...(namespaced && { namespace: 'default' }) };
        const operation = { ...place, verb, user: admin, body: {}, patchType: 'merge', options: {} };
        const refusal = await refusalOf(plane.server.perform(operation as unknown as Operation, { signal }));
        const [byHttp, inProcess, ...more] = authorizer.asked.splice(0);
        expect([answer.code, refusal.code, more, byHttp]).toEqual([403, 403, [], inProcess]);
        expect((answer.json as { readonly message: string }).message).toBe(refusal.message);
      }
  }
  expect(doors).toBeGreaterThan(50);
});

describe('in process', () => {
  const { signal } = new AbortController();
  const target = { resource: configmaps, namespace: 'default', user: admin };
  const named = { ...target, name: 'a' };
  const all: readonly (readonly [Operation, string])[] = [
    [{ ...named, verb: 'get' }, 'get configmaps default/a'],
    [{ ...target, verb: 'list', options: {} }, 'list configmaps default'],
    [{ ...target, verb: 'list', options: { fieldSelector: 'metadata.name=a' } }, 'list configmaps default/a'],
    [{ ...target, verb: 'create', body: configMap('b'), options: {} }, 'create configmaps default'],
    [{ ...named, verb: 'update', body: configMap('a'), options: {} }, 'update configmaps default/a'],
    [{ ...named, verb: 'patch', patchType: 'merge', body: {}, options: {} }, 'patch configmaps default/a'],
    [{ ...named, verb: 'delete', options: {} }, 'delete configmaps default/a'],
    [{ ...target, verb: 'deletecollection', options: {}, list: {} }, 'deletecollection configmaps default'],
    [{ verb: 'get', resource: namespaces, name: 'default', user: admin }, 'get namespaces default/default'],
  ];

  test.each(all)('%j', async (operation, line) => {
    await plane.server.perform(operation, { signal });
    expect(authorizer.asked.splice(0)).toEqual([`admin: ${line}`]);
    authorizer.refuses = (asked) => asked === line;
    expect(await refusalOf(plane.server.perform(operation, { signal }))).toMatchObject({ code: 403 });
    expect(authorizer.asked).toEqual([`admin: ${line}`]);
  });

  test('a watch asks once, when it begins', async () => {
    const { stop, ended } = plane.watch(configmaps);
    await plane.clock.settle();
    await plane.create(configmaps, configMap('b'));
    stop();
    await ended;
    expect(authorizer.asked.filter((line) => line.includes('watch'))).toEqual(['admin: watch configmaps default']);
    authorizer.refuses = (line) => line.startsWith('watch');
    expect(await refusalOf(plane.watch(configmaps).ended)).toMatchObject({ code: 403 });
  });
});

describe('acting for others', () => {
  const robot = { name: 'robot', groups: ['system:authenticated'] };
  const by = (name: string, ...groups: readonly string[]) =>
    ask('GET', '/api', { who: { is: 'user', user: robot, as: { name, groups } } });

  test.each<[string, readonly string[], readonly string[]]>([
    ['jane', ['dev', 'ops'], ['impersonate users jane', 'impersonate groups dev', 'impersonate groups ops']],
    ['system:serviceaccount:kube-system:x', [], ['impersonate serviceaccounts kube-system/x']],
  ])('%s %j asks for each part, then for the request', async (name, groups, lines) => {
    expect((await by(name, ...groups)).code).toBe(200);
    expect(authorizer.asked).toEqual([...lines.map((line) => `robot: ${line}`), `${name}: get /api`]);
  });
  test('is refused for each part', async () => {
    authorizer.refuses = (line) => line === 'impersonate groups ops';
    expect(await by('jane', 'dev', 'ops')).toMatchObject({
      code: 403,
      json: {
        message:
          'groups "ops" is forbidden: User "robot" cannot impersonate resource "groups" in API group "" at the cluster scope',
      },
    });
  });
  test('a service account has its groups', async () => {
    const who = { is: 'user', user: admin, as: { name: 'system:serviceaccount:a:b', groups: [] } } as const;
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    expect((await ask('POST', path, { who, body: {} })).json).toMatchObject({
      status: {
        userInfo: { groups: ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'] },
      },
    });
  });
});

test('whoever is unknown is asked about like everybody, and a refusal tells them to say who they are', async () => {
  const who = { is: 'anonymous' } as const;
  expect((await ask('GET', `${core}/configmaps/a`, { who })).code).toBe(200);
  expect(authorizer.asked).toEqual([`${anonymous.name}: get configmaps default/a`]);
  authorizer.refuses = () => true;
  for (const target of [`${core}/configmaps/a`, '/livez', '/no/such/path', '/api/v1/pods?limit=x'])
    expect(await ask('GET', target, { who })).toMatchObject({ code: 401, json: { message: 'Unauthorized' } });
});

test('an update that creates asks for both', async () => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'lead' } };
  authorizer.refuses = (line) => line.startsWith('create');
  expect(await refusalOf(plane.update(clusterroles, role))).toMatchObject({
    code: 403,
    message:
      'clusterroles.rbac.authorization.k8s.io "lead" is forbidden: User "admin" cannot create resource "clusterroles" in API group "rbac.authorization.k8s.io" at the cluster scope',
  });
  authorizer.refuses = () => false;
  authorizer.asked.length = 0;
  for (const code of [201, 200]) expect((await plane.update(clusterroles, role)).code).toBe(code);
  const line = 'clusterroles.rbac.authorization.k8s.io lead';
  expect(authorizer.asked).toEqual([`admin: update ${line}`, `admin: create ${line}`, `admin: update ${line}`]);
});

test('a question about access asks the same authorizer', async () => {
  authorizer.refuses = (line) => line === 'get pods/log default/web';
  const resourceAttributes = { verb: 'get', resource: 'pods', subresource: 'log', namespace: 'default', name: 'web' };
  const { object } = await plane.create(selfsubjectaccessreviews, { spec: { resourceAttributes } });
  expect(object).toMatchObject({ status: { allowed: false } });
  expect(authorizer.asked).toEqual([
    'admin: create selfsubjectaccessreviews.authorization.k8s.io',
    'admin: get pods/log default/web',
  ]);
});

test('an authorizer sees what is stored', async () => {
  const untilClosed: Authorizer = {
    ...authorizer,
    name: 'until-closed',
    authorize: (_, { store }) =>
      store.get(objectKey(resourcePrefix(configmaps), 'default', 'closed')) === undefined
        ? { allowed: true, reason: 'not closed' }
        : { allowed: false, reason: 'closed' },
  };
  const { create, get } = await createTestServer({ authorizer: untilClosed });
  await create(configmaps, configMap('closed'));
  expect((await refusalOf(get(configmaps, 'closed'))).message).toBe(
    'configmaps "closed" is forbidden: User "admin" cannot get resource "configmaps" in API group "" in the namespace "default": closed',
  );
});
