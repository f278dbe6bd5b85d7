/** A key is made, a certificate asked for, approved, and used: with kubectl and openssl alone. */
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubectlMinor, type ServedCluster, startServedCluster, until, withoutKubectl } from './served-cluster.ts';

const without = withoutKubectl();
let served: ServedCluster;
let kubectl: ServedCluster['kubectl'];

beforeAll(async () => {
  served = await startServedCluster({ nodes: 0 });
  ({ kubectl } = served);
});

afterAll(async () => {
  const problems = served?.problems ?? [];
  await served?.close();
  expect(problems).toEqual([]);
});

/** The path of a key and, in base64, a request for it. */
function requestFor(subject: string, file: string): { readonly key: string; readonly request: string } {
  const [key, csr] = [join(served.folder, `${file}.key`), join(served.folder, `${file}.csr`)];
  const make = spawnSync('openssl', [
    ...['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-subj', subject, '-keyout', key, '-out', csr],
  ]);
  expect(make.status).toBe(0);
  return { key, request: readFileSync(csr).toString('base64') };
}

function manifest(name: string, request: string): string {
  return served.write(
    `${name}.json`,
    JSON.stringify({
      ...{ apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name } },
      spec: { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
    }),
  );
}

/** Of the whole certificate. */
function digestOf(pem: Buffer): string {
  return new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();
}

describe.skipIf(without)('kubectl', () => {
  test('approves a certificate, and its owner gets in by it', async () => {
    const { key, request } = requestFor('/O=devs/CN=jane', 'jane');
    await kubectl(`create -f ${manifest('jane', request)}`);
    expect(await kubectl('get csr jane')).toMatch(/jane\s.*\sPending/);
    await kubectl('certificate approve jane');
    await until(
      () => kubectl("get csr jane -o jsonpath='{.status.certificate}'"),
      (certificate) => certificate !== '',
    );
    expect(await kubectl('get csr jane')).toMatch(/jane\s.*\sApproved,Issued/);
    const certificate = Buffer.from(await kubectl("get csr jane -o jsonpath='{.status.certificate}'"), 'base64');
    const cert = served.write('jane.crt', certificate.toString());
    const ca = served.write('ca.crt', served.pki.current().ca);
    const jane = `--kubeconfig /dev/null --server ${served.url} --certificate-authority ${ca} --client-certificate ${cert} --client-key ${key}`;
    if ((kubectlMinor ?? 0) >= 28)
      expect(JSON.parse(await kubectl(`auth whoami -o jsonpath='{.status.userInfo}' ${jane}`))).toEqual({
        username: 'jane',
        groups: ['devs', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${digestOf(certificate)}`] },
      });
    expect(await kubectl.refused(`get pods ${jane}`)).toContain('User "jane" cannot list resource "pods"');
    await kubectl('create rolebinding devs --clusterrole=view --group=devs');
    expect(await kubectl(`get pods ${jane} 2>&1`)).toBe('No resources found in default namespace.');
  });

  test('denies one, and nobody gets one of the masters', async () => {
    await kubectl(`create -f ${manifest('joe', requestFor('/CN=joe', 'joe').request)}`);
    await kubectl('certificate deny joe');
    expect(await kubectl('get csr joe')).toMatch(/joe\s.*\sDenied/);
    const { request } = requestFor('/O=system:masters/CN=eve', 'eve');
    expect(await kubectl.refused(`create -f ${manifest('eve', request)}`)).toContain('system:masters');
  });

  test('lets nobody approve for a signer that is not theirs', async () => {
    await kubectl(`create -f ${manifest('ann', requestFor('/CN=ann', 'ann').request)}`);
    await kubectl(
      'create clusterrole decides --verb=get,list,update --resource=certificatesigningrequests,certificatesigningrequests/approval',
    );
    await kubectl('create clusterrolebinding decides --clusterrole=decides --user=helper');
    expect(await kubectl.refused('certificate approve ann --as helper')).toContain(
      'user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"',
    );
    const role = 'system:certificates.k8s.io:kube-apiserver-client-approver';
    await kubectl(`create clusterrolebinding signer --clusterrole=${role} --user=helper`);
    expect(await kubectl('certificate approve ann --as helper')).toContain('approved');
  });
});
