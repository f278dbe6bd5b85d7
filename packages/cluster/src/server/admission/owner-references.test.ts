import { beforeEach, describe, expect, test } from 'vitest';
import { clusterrolebindings, clusterroles, configmaps } from '../../api/generated/kinds.ts';
import { authenticated } from '../../api/identities.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { createTestServer, refusalOf, type TestServer } from '../../testing/api-server.ts';

const user = authenticated({ name: 'jane', groups: [] });
const group = 'rbac.authorization.k8s.io';
let server: TestServer;

const owned = (name: string, more: object = {}, kind: object = { apiVersion: 'v1', kind: 'ConfigMap' }): object => ({
  metadata: { name, ownerReferences: [{ ...kind, name: 'owner', uid: '1', ...more }] },
});

async function give(name: string, rules: readonly object[]): Promise<void> {
  await server.create(clusterroles, { metadata: { name }, rules });
  const subjects = [{ apiGroup: group, kind: 'User', name: 'jane' }];
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name };
  await server.create(clusterrolebindings, { metadata: { name }, roleRef, subjects });
}

beforeEach(async () => {
  server = await createTestServer({
    definitions: builtinDefinitions,
    furtherAdmission: ['OwnerReferencesPermissionEnforcement'],
  });
  await give('writer', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'update', 'patch', 'get'] }]);
});

const why = async (work: Promise<unknown>): Promise<string> => (await refusalOf(work)).message ?? '';
const blocking = { blockOwnerDeletion: true };
const notFinalizing =
  "is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>";

describe('who may not delete', () => {
  test('says of a new object whose it is, and keeps it', async () => {
    await server.create(configmaps, owned('a'), { user });
    await server.merge(configmaps, 'a', { user, body: { data: { a: 'b' } } });
    await server.merge(configmaps, 'a', { user, body: owned('a') });
  });
  test('gives no object that is there an owner, nor takes it away', async () => {
    await server.create(configmaps, { metadata: { name: 'a' } });
    await server.create(configmaps, owned('b'));
    const refused = "is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>";
    expect(await why(server.update(configmaps, owned('a'), { user }))).toBe(`configmaps "a" ${refused}`);
    const body = { metadata: { ownerReferences: null } };
    expect(await why(server.merge(configmaps, 'b', { user, body }))).toBe(`configmaps "b" ${refused}`);
    await give('deleter', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['delete'], resourceNames: ['a'] }]);
    await server.update(configmaps, owned('a'), { user });
    expect(await why(server.merge(configmaps, 'b', { user, body }))).toContain(refused);
  });
});

describe('who may not change the finalizers of an owner', () => {
  test('does not let its end wait', async () => {
    expect(await why(server.create(configmaps, owned('a', blocking), { user }))).toBe(
      `configmaps "a" ${notFinalizing}`,
    );
    await give('finalizer', [{ apiGroups: [''], resources: ['configmaps/finalizers'], verbs: ['update'] }]);
    await server.create(configmaps, owned('a', blocking), { user });
    await give('deleter', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['delete'] }]);
    const other = owned('a', { ...blocking, uid: '2' }, { apiVersion: 'v1', kind: 'Namespace' });
    expect(await why(server.update(configmaps, other, { user }))).toContain(notFinalizing);
  });
  test('is told where nobody knows the owner’s kind', async () => {
    const strange = owned('a', blocking, { apiVersion: 'x.io/v1', kind: 'X' });
    expect(await why(server.create(configmaps, strange, { user }))).toBe(
      'configmaps "a" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion x.io/v1 Kind X: no matches for kind "X" in version "x.io/v1"',
    );
    await give('all', [{ apiGroups: ['*'], resources: ['*/finalizers'], verbs: ['update'] }]);
    await server.create(configmaps, strange, { user });
  });
});

test('it is off unless it is asked for', async () => {
  server = await createTestServer({ definitions: builtinDefinitions });
  await give('writer', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'update', 'get'] }]);
  await server.create(configmaps, owned('a', blocking), { user });
  await server.update(configmaps, { metadata: { name: 'a' } }, { user });
});
