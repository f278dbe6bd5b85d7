import { expect, test } from 'vitest';
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { janesRequest, proxyRequest } from '../../testing/resources/certificate-requests.ts';
import { nodeClientRequest, nodeServingRequest } from '../../testing/resources/node-certificate-requests.ts';
import { kubeletClientAsked, signability, validity } from './signers.ts';

const kubelet = ['digital signature', 'client auth'];
const serving = ['digital signature', 'key encipherment', 'server auth'];

function asked(signer: string, spec: Partial<CertificateSigningRequest['spec']>): CertificateSigningRequest {
  return { spec: { request: janesRequest, signerName: signer, ...spec } } as CertificateSigningRequest;
}

test.each<[string, string, readonly string[], string]>([
  ['example.com/x', janesRequest, ['client auth'], 'others'],
  ['kubernetes.io/kube-apiserver-client', janesRequest, ['client auth'], 'signable'],
  ['kubernetes.io/kube-apiserver-client', janesRequest, ['client auth', 'key encipherment'], 'signable'],
  [
    'kubernetes.io/kube-apiserver-client',
    proxyRequest,
    ['client auth'],
    'front-proxy-client is that of the API server',
  ],
  ['kubernetes.io/kube-apiserver-client', janesRequest, [], 'invalid usages for client certificate: []'],
  [
    'kubernetes.io/kube-apiserver-client',
    janesRequest,
    ['client auth', 'server auth'],
    'invalid usages for client certificate: [client auth server auth]',
  ],
  ['kubernetes.io/kube-apiserver-client-kubelet', nodeClientRequest, kubelet, 'signable'],
  ['kubernetes.io/kube-apiserver-client-kubelet', nodeClientRequest, serving, 'usages did not match'],
  ['kubernetes.io/kube-apiserver-client-kubelet', janesRequest, kubelet, 'subject organization is not system:nodes'],
  ['kubernetes.io/kube-apiserver-client-kubelet', nodeServingRequest, kubelet, 'DNS subjectAltNames are not allowed'],
  ['kubernetes.io/kubelet-serving', nodeServingRequest, serving, 'signable'],
  ['kubernetes.io/kubelet-serving', nodeClientRequest, serving, 'at least one DNS or IP subjectAltName is required'],
  ['kubernetes.io/kubelet-serving', nodeServingRequest, kubelet, 'usages did not match'],
])('%s: %#', (signer, request, usages, verdict) => {
  const found = signability(asked(signer, { request, usages }));
  expect(found.is === 'fault' ? found.message : found.is).toContain(verdict);
});

test('an agent asks for itself, or somebody for it', () => {
  const wish = { request: nodeClientRequest, usages: kubelet };
  const signer = 'kubernetes.io/kube-apiserver-client-kubelet';
  expect(kubeletClientAsked(asked(signer, { ...wish, username: 'system:node:n1' }))).toBe('for itself');
  expect(kubeletClientAsked(asked(signer, { ...wish, username: 'joe' }))).toBe('for another');
  expect(kubeletClientAsked(asked(signer, { ...wish, request: janesRequest }))).toBeUndefined();
  expect(kubeletClientAsked(asked('kubernetes.io/kubelet-serving', wish))).toBeUndefined();
});

test.each([
  [undefined, 365 * 86_400],
  [3_600, 3_600],
  [60, 600],
  [10 * 365 * 86_400, 365 * 86_400],
])('who asks for %s seconds gets %i, from a little before now', (expirationSeconds, seconds) => {
  const spec = expirationSeconds === undefined ? {} : { expirationSeconds };
  const { notBeforeMs, notAfterMs } = validity(asked('a.b/c', spec), 1e12);
  expect(notBeforeMs).toBe(1e12 - 300_000);
  expect(notAfterMs - notBeforeMs).toBe(seconds * 1000);
});
