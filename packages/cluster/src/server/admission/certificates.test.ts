import { beforeEach, expect, test } from 'vitest';
import { certificatesigningrequests, clusterrolebindings, clusterroles } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { User } from '../../api/operation.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { createTestServer, refusalOf, type TestServer } from '../../testing/api-server.ts';
import { janesRequest, mastersRequest } from '../../testing/resources/certificate-requests.ts';

let plane: TestServer;
const joe: User = { name: 'joe', groups: ['devs', 'system:authenticated'], uid: 'u-1' };

const doors = [
  'certificatesigningrequests',
  'certificatesigningrequests/approval',
  'certificatesigningrequests/status',
];

beforeEach(async () => {
  plane = await createTestServer({ definitions: builtinDefinitions });
  await allow('requests', { apiGroups: ['certificates.k8s.io'], resources: doors, verbs: ['*'] });
});

async function allow(name: string, rule: object): Promise<void> {
  await plane.create(clusterroles, { metadata: { name }, rules: [rule] });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'joe' }];
  await plane.create(clusterrolebindings, { metadata: { name }, roleRef, subjects });
}

function request(spec: object = {}): object {
  return {
    metadata: { name: 'jane' },
    spec: { request: janesRequest, signerName: 'example.com/serving', usages: ['client auth'], ...spec },
  };
}

test('a request says who made it, whatever its body says', async () => {
  const { object } = await plane.create(certificatesigningrequests, request({ username: 'root', groups: ['wheel'] }), {
    user: joe,
  });
  expect(object).toMatchObject({
    spec: { username: 'joe', uid: 'u-1', groups: ['devs', 'system:authenticated'] },
    status: {},
  });
  expect((object as KubeObject & { readonly spec: object }).spec).not.toHaveProperty('extra');
});

test('nobody asks to become one of the masters of this API', async () => {
  const asked = { request: mastersRequest, signerName: 'kubernetes.io/kube-apiserver-client' };
  const refused = await refusalOf(plane.create(certificatesigningrequests, request(asked), { user: joe }));
  expect(refused).toMatchObject({ code: 403 });
  expect(refused.message).toContain('use of kubernetes.io/kube-apiserver-client signer with system:masters group');
  await plane.create(certificatesigningrequests, request({ ...asked, signerName: 'example.com/other' }), { user: joe });
});

const approved = { status: { conditions: [{ type: 'Approved', status: 'True' }] } };

test.each([
  ['approve', 'approval', approved],
  ['sign', 'status', { status: { conditions: [{ type: 'Failed', status: 'True' }] } }],
] as const)('to %s takes the signer besides the door', async (verb, subresource, body) => {
  await plane.create(certificatesigningrequests, request());
  const asking = { user: joe, subresource, body };
  const refused = await refusalOf(plane.merge(certificatesigningrequests, 'jane', asking));
  expect(refused.message).toBe(
    `certificatesigningrequests.certificates.k8s.io "jane" is forbidden: user not permitted to ${verb} requests with signerName "example.com/serving"`,
  );
  await allow('signer', {
    apiGroups: ['certificates.k8s.io'],
    resources: ['signers'],
    resourceNames: ['example.com/*'],
    verbs: [verb],
  });
  const { object } = await plane.merge(certificatesigningrequests, 'jane', asking);
  expect(object).toMatchObject(body);
});
