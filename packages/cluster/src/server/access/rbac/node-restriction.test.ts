import { beforeEach, describe, expect, test } from 'vitest';
import type { Node } from '../../../api/generated/core-v1.ts';
import {
  certificatesigningrequests,
  leases,
  nodes,
  persistentvolumeclaims,
  pods,
  resourceslices,
} from '../../../api/generated/kinds.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { User } from '../../../api/operation.ts';
import { builtinDefinitions } from '../../../resources/builtin.ts';
import { createTestServer, pod, refusalOf, type TestServer } from '../../../testing/api-server.ts';
import { nodeClientRequest, nodeServingRequest } from '../../../testing/resources/node-certificate-requests.ts';

const user: User = { name: 'system:node:a', groups: ['system:nodes', 'system:authenticated'] };
const mirror = { 'kubernetes.io/config.mirror': 'x' };
let plane: TestServer;
let node: Node;

beforeEach(async () => {
  plane = await createTestServer({ definitions: builtinDefinitions });
  node = (await plane.create(nodes, { metadata: { name: 'a' } })).object as Node;
  await plane.create(nodes, { metadata: { name: 'b' } });
  await plane.create(pods, pod('here', { nodeName: 'a' }));
  await plane.create(pods, pod('there', { nodeName: 'b' }));
});

const why = async (work: Promise<unknown>): Promise<string> => (await refusalOf(work)).message ?? '';

test('slices of devices are its own', async () => {
  const slice = (name: string, nodeName: string): object => ({
    metadata: { name },
    spec: { driver: 'd.example.com', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, nodeName },
  });
  await plane.create(resourceslices, slice('mine', 'a'), { user });
  await plane.create(resourceslices, slice('yours', 'b'));
  expect(await why(plane.create(resourceslices, slice('other', 'b'), { user }))).toMatch(
    /can only create ResourceSlice with the same NodeName as the requesting node$/,
  );
  // That it is another's is found before, by its name.
  expect(await why(plane.delete(resourceslices, 'yours', { user }))).toMatch(/no relationship found/);
  await plane.delete(resourceslices, 'mine', { user });
});

describe('pods', () => {
  const owned = (): object => ({
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: node.metadata.uid, controller: true }],
  });
  const create = (spec: object, metadata: object): Promise<unknown> =>
    plane.create(pods, pod('p', spec, metadata), { user });

  test('mirrors of its own are made', async () => {
    await create({ nodeName: 'a' }, { annotations: mirror, ...owned() });
    expect((await plane.get(pods, 'p')) as unknown).not.toMatchObject({ spec: { serviceAccountName: 'default' } });
  });
  test.each<[string, object, () => object, string]>([
    [
      'that are none',
      { nodeName: 'a' },
      () => ({}),
      'pod does not have "kubernetes.io/config.mirror" annotation, node "a" can only create mirror pods',
    ],
    [
      'on another node',
      { nodeName: 'b' },
      () => ({ annotations: mirror, ...owned() }),
      'node "a" can only create pods with spec.nodeName set to itself',
    ],
    [
      'of nobody',
      { nodeName: 'a' },
      () => ({ annotations: mirror }),
      'node "a" can only create pods with an owner reference set to itself',
    ],
    [
      'of a node that was',
      { nodeName: 'a' },
      () => ({
        annotations: mirror,
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'old', controller: true }],
      }),
      'node a UID mismatch: expected old got ',
    ],
    [
      'that name a secret',
      { nodeName: 'a', volumes: [{ name: 's', secret: { secretName: 's' } }] },
      () => ({ annotations: mirror, ...owned() }),
      'node "a" can not create pods that reference secrets',
    ],
    [
      'that name a service account',
      { nodeName: 'a', serviceAccountName: 'admin' },
      () => ({ annotations: mirror, ...owned() }),
      'a mirror pod may not reference service accounts',
    ],
  ])('%s are refused', async (_, spec, metadata, message) => {
    expect(await why(create(spec, metadata()))).toContain(`pods "p" is forbidden: ${message}`);
  });

  const status = { status: { phase: 'Running' } };
  const door = { user, subresource: 'status' };
  test('the status of its own is its to say', async () => {
    await plane.merge(pods, 'here', { ...door, body: status });
    expect(await why(plane.merge(pods, 'there', { ...door, body: status }))).toBe(
      'pods "there" is forbidden: node "a" can only update pod status for pods with spec.nodeName set to itself',
    );
    const labels = { metadata: { labels: { app: 'other' } }, ...status };
    expect(await why(plane.merge(pods, 'here', { ...door, body: labels }))).toBe(
      'pods "here" is forbidden: node "a" cannot update labels through pod status',
    );
  });
  test('the end of its own is its to bring, also by eviction', async () => {
    expect(await why(plane.delete(pods, 'there', { user }))).toBe(
      'pods "there" is forbidden: node "a" can only delete pods with spec.nodeName set to itself',
    );
    const eviction = (name: string): Promise<unknown> =>
      plane.create(
        pods,
        { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } },
        { user, name, subresource: 'eviction' },
      );
    expect(await why(eviction('there'))).toContain('can only evict pods with spec.nodeName set to itself');
    await eviction('here');
  });
  test('nothing of it holds only because it is a dry run', async () => {
    const dryRun = plane.create(pods, pod('p', { nodeName: 'b' }), { user, dryRun: true });
    expect(await why(dryRun)).toContain('can only create mirror pods');
  });
});

describe('nodes', () => {
  const patch = (name: string, body: object, subresource?: string): Promise<unknown> =>
    plane.merge(nodes, name, { user, body, ...(subresource !== undefined && { subresource }) });

  test('its own is its to change', async () => {
    await patch('a', { metadata: { labels: { 'kubernetes.io/hostname': 'a', own: 'x' } } });
    await patch('a', { status: { nodeInfo: { kernelVersion: '6' } } }, 'status');
    expect(await why(patch('b', { metadata: { labels: { own: 'x' } } }))).toBe(
      'nodes "b" is forbidden: node "a" is not allowed to modify node "b"',
    );
    expect(await why(plane.create(nodes, { metadata: { name: 'c' } }, { user }))).toContain(
      'not allowed to modify node',
    );
  });
  test('but not what draws or drives away pods', async () => {
    expect(await why(patch('a', { spec: { taints: [] } }))).toContain('node "a" is not allowed to modify taints');
    expect(await why(patch('a', { metadata: { labels: { 'node-restriction.kubernetes.io/x': 'y' } } }))).toBe(
      'nodes "a" is forbidden: is not allowed to modify labels: node-restriction.kubernetes.io/x',
    );
    expect(await why(patch('a', { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } }))).toContain(
      'node-role.kubernetes.io/control-plane',
    );
  });
  test('nor who owns it, by which it would end itself', async () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'b', uid: 'gone' }];
    expect(await why(patch('a', { metadata: { ownerReferences } }))).toBe(
      'nodes "a" is forbidden: node "a" is not allowed to modify ownerReferences',
    );
  });
  test('one that registers says nothing of that kind of itself', async () => {
    const labels = { 'node-restriction.kubernetes.io/x': 'y' };
    const c: User = { ...user, name: 'system:node:c' };
    expect(await why(plane.create(nodes, { metadata: { name: 'c', labels } }, { user: c }))).toBe(
      'nodes "c" is forbidden: node "c" is not allowed to set the following labels: node-restriction.kubernetes.io/x',
    );
    await plane.create(nodes, { metadata: { name: 'c' } }, { user: c });
  });
});

test('a lease has the name of its node', async () => {
  const asked = { user, namespace: 'kube-node-lease' };
  await plane.create(leases, { metadata: { name: 'a' } }, asked);
  expect(await why(plane.create(leases, { metadata: { name: 'b' } }, asked))).toBe(
    'leases.coordination.k8s.io "b" is forbidden: can only access node lease with the same name as the requesting node',
  );
});

test.each([
  ['kubelet-serving', nodeServingRequest, 'server auth'],
  ['kube-apiserver-client-kubelet', nodeClientRequest, 'client auth'],
])('a node asks the signer %s for certificates of its own name alone', async (signer, request, usage) => {
  const ask = (name: string, more: object = {}): Promise<unknown> => {
    const spec = { request, signerName: `kubernetes.io/${signer}`, usages: ['digital signature', usage], ...more };
    const body = { metadata: { generateName: 'wish-' }, spec };
    return plane.create(certificatesigningrequests, body, { user: { ...user, name: `system:node:${name}` } });
  };
  await ask('n1');
  expect(await why(ask('a'))).toContain('forbidden: can only create a node CSR with CN=system:node:a');
  await ask('a', { signerName: 'example.com/others' });
  expect(await why(ask('a', { request: 'bm8=' }))).toContain('PEM block type must be CERTIFICATE REQUEST');
});

test('of a claim only what the node finds out is its to say', async () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await plane.create(persistentvolumeclaims, { metadata: { name: 'claim' }, spec });
  const claimed = { nodeName: 'a', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }] };
  await plane.create(pods, pod('claims', claimed));
  const patch = (status: object): Promise<{ readonly object: unknown }> =>
    plane.merge(persistentvolumeclaims, 'claim', { user, subresource: 'status', body: { status } });
  await patch({ capacity: { storage: '1Gi' } });
  expect(await why(patch({ phase: 'Lost' }))).toContain(
    'node "a" is not allowed to update fields other than status.capacity and status.conditions',
  );
  expect(((await plane.get(persistentvolumeclaims, 'claim')) as KubeObject).metadata.name).toBe('claim');
});
