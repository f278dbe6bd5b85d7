import { describe, expect, test } from 'vitest';
import {
  configmaps,
  localsubjectaccessreviews,
  rolebindings,
  selfsubjectaccessreviews,
  selfsubjectreviews,
  selfsubjectrulesreviews,
  subjectaccessreviews,
  tokenreviews,
} from '../../api/generated/kinds.ts';
import { anonymous, authenticated } from '../../api/identities.ts';
import type { KubeObject } from '../../api/meta.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { admin, createTestServer, refusalOf } from '../../testing/api-server.ts';
import { apiAudiences } from '../context/tokens.ts';

const getPods = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } };

test('an answer has no columns, whatever the client prefers', async () => {
  const { server: api, create } = await createTestServer();
  const { object } = await create(selfsubjectreviews, {});
  const options = { version: 'v1', includeObject: 'None' } as const;
  expect(api.table(selfsubjectreviews, object as KubeObject, options)).toBeUndefined();
});

test('who am I', async () => {
  const { create } = await createTestServer();
  const { code, object } = await create(selfsubjectreviews, {});
  expect({ code, object }).toMatchObject({
    code: 201,
    object: { kind: 'SelfSubjectReview', status: { userInfo: { username: admin.name, groups: admin.groups } } },
  });
});

test('who is refused is warned of unknown fields all the same', async () => {
  const { create } = await createTestServer();
  await expect(create(subjectaccessreviews, { spec: {}, nope: 1 }, { fieldValidation: 'Warn' })).rejects.toMatchObject({
    warnings: ['unknown field "nope"'],
  });
});

describe('access', () => {
  test('is that of whoever asks', async () => {
    const { create } = await createTestServer();
    expect((await create(selfsubjectaccessreviews, { spec: getPods })).object).toMatchObject({
      status: { allowed: true },
    });
    const path = { nonResourceAttributes: { verb: 'get', path: '/metrics' } };
    expect((await create(selfsubjectaccessreviews, { spec: path })).object).toMatchObject({
      status: { allowed: true },
    });
    const jane = { user: authenticated({ name: 'jane', groups: [] }) };
    const refused = await create(selfsubjectaccessreviews, { spec: getPods }, jane);
    expect(refused.object).toMatchObject({ status: { allowed: false } });
    expect(refused.object).not.toHaveProperty('status.reason');
    expect((await create(selfsubjectrulesreviews, { spec: { namespace: 'default' } })).object).toMatchObject({
      status: {
        incomplete: false,
        resourceRules: expect.arrayContaining([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]),
      },
    });
    const rules = await create(selfsubjectrulesreviews, { spec: { namespace: 'default' } }, jane);
    expect(rules.object).toMatchObject({
      status: {
        resourceRules: [{ resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'] }, { verbs: ['create'] }],
      },
    });
  });

  test('is asked for others', async () => {
    const { create } = await createTestServer({ definitions: builtinDefinitions });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'dev' }];
    await create(rolebindings, { metadata: { name: 'b' }, roleRef, subjects });
    const ask = (user: string, groups: readonly string[] = []) =>
      create(subjectaccessreviews, { spec: { ...getPods, user, groups } });
    expect((await ask('jane', ['dev'])).object).toMatchObject({
      status: {
        allowed: true,
        reason: 'RBAC: allowed by RoleBinding "b/default" of ClusterRole "view" to Group "dev"',
      },
    });
    expect((await ask('', ['dev'])).object).toMatchObject({ status: { allowed: true } });
    expect((await ask('jane')).object).toMatchObject({ status: { allowed: false } });
    expect((await refusalOf(ask(''))).code).toBe(422);
    const local = { spec: { ...getPods, user: 'jane', groups: ['dev'] } };
    expect((await create(localsubjectaccessreviews, local, { namespace: 'default' })).object).toMatchObject({
      status: { allowed: true },
    });
    const elsewhere = create(localsubjectaccessreviews, local, { namespace: 'kube-system' });
    expect((await refusalOf(elsewhere)).code).toBe(422);
  });

  test('may be asked about what is chosen by fields', async () => {
    const { create } = await createTestServer();
    const ask = async (fieldSelector: object): Promise<unknown> => {
      const resourceAttributes = { verb: 'list', resource: 'pods', fieldSelector };
      const spec = { resourceAttributes, user: 'system:node:a', groups: ['system:nodes'] };
      return ((await create(subjectaccessreviews, { spec })).object as { readonly status?: unknown }).status;
    };
    expect(await ask({ rawSelector: 'spec.nodeName=a' })).toMatchObject({ allowed: true });
    expect(await ask({ requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['a'] }] })).toMatchObject({
      allowed: true,
    });
    expect(await ask({ requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['a', 'b'] }] })).toMatchObject({
      allowed: false,
      reason: 'can only list/watch pods with spec.nodeName field selector',
    });
  });

  test.each([
    ['neither', {}],
    ['both', { ...getPods, nonResourceAttributes: { verb: 'get', path: '/' } }],
  ])('a question about %s is refused', async (_, spec) => {
    const { create } = await createTestServer();
    expect((await refusalOf(create(selfsubjectaccessreviews, { spec }))).code).toBe(422);
  });
});

describe('tokens', () => {
  const token = { spec: { token: 'secret' } };
  test('are looked up', async () => {
    const { create } = await createTestServer({
      authenticateToken: (text) =>
        text === 'secret' ? { known: true, user: admin, audiences: apiAudiences } : { known: false },
    });
    expect((await create(tokenreviews, token)).object).toMatchObject({
      status: { authenticated: true, user: { username: 'admin' }, audiences: apiAudiences },
    });
    expect((await create(tokenreviews, { spec: { token: 'wrong' } })).object).toMatchObject({
      status: { authenticated: false },
    });
    expect((await refusalOf(create(tokenreviews, { spec: {} }))).code).toBe(400);
  });
});

test('questions are not kept and cannot be listed', async () => {
  const { list, store, create } = await createTestServer();
  const { revision } = store;
  await create(selfsubjectreviews, {});
  expect(store.revision).toBe(revision);
  expect(await refusalOf(list(selfsubjectreviews))).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
});

describe('who did not say who they are', () => {
  test('may do nothing', async () => {
    const { list, create } = await createTestServer();
    expect(await refusalOf(list(configmaps, {}, { user: anonymous }))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"',
    });
    expect((await refusalOf(create(selfsubjectreviews, {}, { user: anonymous }))).message).toContain(
      'at the cluster scope',
    );
  });
  test('may see that the server lives', async () => {
    const { create } = await createTestServer();
    const may = async (path: string): Promise<unknown> => {
      const nonResourceAttributes = { verb: 'get', path };
      const spec = { nonResourceAttributes, user: anonymous.name, groups: anonymous.groups };
      const { status } = (await create(subjectaccessreviews, { spec })).object as unknown as {
        readonly status: { readonly allowed: boolean };
      };
      return status.allowed;
    };
    expect(await may('/livez')).toBe(true);
    expect(await may('/metrics')).toBe(false);
  });
});
