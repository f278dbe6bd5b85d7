import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { certificatesigningrequests, clusterrolebindings } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import type { KubeObject, New } from '../../api/meta.ts';
import { createTestPlane, type TestPlane } from '../../testing/plane.ts';
import { janesCertificate, janesRequest } from '../../testing/resources/certificate-requests.ts';
import { nodeClientRequest } from '../../testing/resources/node-certificate-requests.ts';
import { createRequestApprover } from './approving.ts';
import { createRequestSigner, type SigningWish } from './signing.ts';

let plane: TestPlane;
let wishes: SigningWish[];

beforeEach(async () => {
  wishes = [];
  plane = await createTestPlane();
  plane.start(createRequestApprover(plane.platform));
  plane.start(
    createRequestSigner(plane.platform, async (wish) => {
      wishes.push(wish);
      return Buffer.from(janesCertificate, 'base64').toString();
    }),
  );
  await plane.clock.settle();
});
afterEach(async () => {
  expect(plane.problems).toEqual([]);
  await plane.close();
});

const client = 'kubernetes.io/kube-apiserver-client';
const kubelet = 'kubernetes.io/kube-apiserver-client-kubelet';

async function make(type: ResourceType, object: object): Promise<void> {
  await plane.client.create<KubeObject>(type as ResourceType<KubeObject>, object as New<KubeObject>, {
    signal: plane.signal,
  });
  await plane.clock.settle();
}

function ask(name: string, spec: Partial<CertificateSigningRequest['spec']>): Promise<void> {
  return make(certificatesigningrequests, {
    ...{ apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name } },
    spec: { request: janesRequest, signerName: client, usages: ['client auth'], ...spec },
  });
}

async function decide(name: string, type: 'Approved' | 'Denied'): Promise<void> {
  const current = await found(name);
  const status = { conditions: [{ type, status: 'True', reason: 'ByHand' }] };
  const options = { subresource: 'approval', signal: plane.signal };
  await plane.client.update(certificatesigningrequests, { ...current, status } as never, options);
  await plane.clock.settle();
}

async function found(name: string): Promise<CertificateSigningRequest> {
  const request = await plane.find(certificatesigningrequests, name);
  if (request === undefined) throw new Error(`there is no ${name}`);
  return request;
}

async function fate(name: string): Promise<string> {
  const { status } = await found(name);
  const types = (status?.conditions ?? []).map(({ type, reason }) => `${type} ${reason}`);
  return [...types, ...((status?.certificate ?? '') === '' ? [] : ['issued'])].join(', ');
}

test('what was approved is signed, for as long as was asked', async () => {
  await ask('jane', { expirationSeconds: 3_600 });
  expect(await fate('jane')).toBe('');
  await decide('jane', 'Approved');
  expect(await fate('jane')).toBe('Approved ByHand, issued');
  expect(wishes).toHaveLength(1);
  expect(wishes[0]).toMatchObject({ request: janesRequest, usages: ['client auth'] });
  expect((wishes[0]?.notAfterMs ?? 0) - (wishes[0]?.notBeforeMs ?? 0)).toBe(3_600_000);
});

test('what was denied, what is another signer’s and what may not be signed is not', async () => {
  await ask('denied', {});
  await decide('denied', 'Denied');
  await ask('other', { signerName: 'example.com/own' });
  await decide('other', 'Approved');
  await ask('wrong', { usages: ['client auth', 'server auth'] });
  await decide('wrong', 'Approved');
  expect(await Promise.all(['denied', 'other', 'wrong'].map(fate))).toEqual([
    'Denied ByHand',
    'Approved ByHand',
    'Approved ByHand, Failed SignerValidationFailure',
  ]);
  expect(wishes).toEqual([]);
});

test('what an agent of a node asks for is approved where a role says so', async () => {
  const wish = { request: nodeClientRequest, signerName: kubelet, usages: ['client auth', 'digital signature'] };
  await make(clusterrolebindings, {
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'boot' } },
    roleRef: {
      ...{ apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' },
      name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'boot' }],
  });
  await ask('mine', wish);
  expect(await fate('mine')).toBe('Approved AutoApproved, issued');
});
