import { beforeEach, describe, expect, test } from 'vitest';
import { clusterrolebindings, clusterroles, rolebindings, roles } from '../../../api/generated/kinds.ts';
import { authenticated } from '../../../api/identities.ts';
import { builtinDefinitions } from '../../../resources/builtin.ts';
import { createTestServer, refusalOf, type TestServer } from '../../../testing/api-server.ts';

const group = 'rbac.authorization.k8s.io';
const user = authenticated({ name: 'jane', groups: ['dev'] });
const read = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
const remove = { apiGroups: [''], resources: ['pods'], verbs: ['delete'] };
const jane = [{ apiGroup: group, kind: 'User', name: 'jane' }];
let plane: TestServer;

const refTo = (name: string, kind = 'ClusterRole'): object => ({ apiGroup: group, kind, name });

/** May write roles and bindings, and read pods; what is given beside that is the test's. */
beforeEach(async () => {
  plane = await createTestServer({ definitions: builtinDefinitions });
  await give('writer', [{ apiGroups: [group], resources: ['*'], verbs: ['create', 'update', 'patch', 'get'] }]);
  await give('reader', [read]);
});

async function give(name: string, rules: readonly object[]): Promise<void> {
  await plane.create(clusterroles, { metadata: { name }, rules });
  await plane.create(clusterrolebindings, { metadata: { name }, roleRef: refTo(name), subjects: jane });
}

const why = async (work: Promise<unknown>): Promise<string> => (await refusalOf(work)).message ?? '';
const held =
  'user "jane" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:';

describe('a role', () => {
  const role = (rules: readonly object[], name = 'r'): object => ({ metadata: { name }, rules });

  test('of what its writer holds is taken', async () => {
    await plane.create(roles, role([read]), { user });
    await plane.create(clusterroles, role([{ ...read, verbs: ['get'], resourceNames: ['a'] }]), { user });
  });
  test('of more is refused, and says what is missing', async () => {
    expect(
      await refusalOf(plane.create(roles, role([{ ...read, verbs: ['get', 'delete', 'watch'] }]), { user })),
    ).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `roles.${group} "r" is forbidden: ${held}\n{APIGroups:[""], Resources:["pods"], Verbs:["delete" "watch"]}`,
    });
  });
  test('does not become more by an update or a patch', async () => {
    await plane.create(roles, role([read]), { user });
    expect(await why(plane.update(roles, role([read, remove]), { user }))).toContain(held);
    expect(await why(plane.merge(roles, 'r', { user, body: { rules: [remove] } }))).toContain(held);
    await plane.merge(roles, 'r', { user, body: { rules: [{ ...read, verbs: ['get'] }] } });
  });
  test('of the namespace counts in that namespace alone', async () => {
    await plane.create(rolebindings, { metadata: { name: 'more' }, roleRef: refTo('edit'), subjects: jane });
    await plane.create(roles, role([remove]), { user });
    expect(await why(plane.create(roles, role([remove]), { user, namespace: 'kube-public' }))).toContain(held);
    expect(await why(plane.create(clusterroles, role([remove]), { user }))).toContain(held);
  });
  test('of more is taken from whoever may escalate', async () => {
    await give('escalator', [{ apiGroups: [group], resources: ['roles'], verbs: ['escalate'] }]);
    await plane.create(roles, role([remove]), { user });
    expect(await why(plane.create(clusterroles, role([remove]), { user }))).toContain(held);
  });
  test('of everything is the administrator’s', async () => {
    const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    await plane.create(clusterroles, role(everything));
    expect(await why(plane.create(clusterroles, role(everything, 'mine'), { user }))).toContain('Verbs:["*"]');
  });
  test('that gathers others could become anything', async () => {
    const body = {
      metadata: { name: 'g' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
      rules: [],
    };
    const refusal = `clusterroles.${group} "g" is forbidden: must have cluster-admin privileges to use the aggregationRule`;
    expect(await why(plane.create(clusterroles, body, { user }))).toBe(refusal);
    await plane.create(clusterroles, body);
    expect(await why(plane.merge(clusterroles, 'g', { user, body: { aggregationRule: null } }))).toBe(refusal);
  });
});

describe('a binding', () => {
  const binding = (name: string, kind?: string): object => ({
    metadata: { name: 'b' },
    roleRef: refTo(name, kind),
    subjects: [{ apiGroup: group, kind: 'User', name: 'bob' }],
  });

  test('of a role that its writer holds is taken', async () => {
    await plane.create(rolebindings, binding('reader'), { user });
    await plane.create(clusterrolebindings, binding('reader'), { user });
  });
  test('of a role with more is refused', async () => {
    await plane.create(clusterroles, { metadata: { name: 'remover' }, rules: [remove] });
    expect(await why(plane.create(rolebindings, binding('remover'), { user }))).toBe(
      `rolebindings.${group} "b" is forbidden: ${held}\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}`,
    );
  });
  test('of the administrator’s role is the administrator’s', async () => {
    expect(await why(plane.create(clusterrolebindings, binding('cluster-admin'), { user }))).toContain(held);
  });
  test('is not given to more people by who could not have made it', async () => {
    await plane.create(clusterrolebindings, binding('cluster-admin'));
    expect(await why(plane.merge(clusterrolebindings, 'b', { user, body: { subjects: jane } }))).toContain(held);
  });
  test('of one role is taken from whoever may bind it', async () => {
    await give('binder', [
      { apiGroups: [group], resources: ['clusterroles'], resourceNames: ['admin'], verbs: ['bind'] },
    ]);
    await plane.create(rolebindings, binding('admin'), { user });
    expect(await why(plane.create(rolebindings, { ...binding('edit'), metadata: { name: 'c' } }, { user }))).toContain(
      held,
    );
  });
  test('of a role that is not there is not found', async () => {
    expect(await refusalOf(plane.create(rolebindings, binding('gone', 'Role'), { user }))).toMatchObject({
      code: 404,
      message: `role.${group} "gone" not found`,
    });
  });
});
