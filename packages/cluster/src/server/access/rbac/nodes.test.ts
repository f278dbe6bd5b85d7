import { describe, expect, test } from 'vitest';
import type { User } from '../../../api/operation.ts';
import { parseFieldSelector } from '../../../api/selector/selector.ts';
import { createFakeWorld, type FakeWorld } from '../../../testing/server/authorizer-world.ts';
import type { Access } from '../../context/authorizer.ts';
import { rbac } from './rbac.ts';

const agentOf = (name: string): User => ({
  name: `system:node:${name}`,
  groups: ['system:nodes', 'system:authenticated'],
});
const agent = agentOf('a');

function pod(name: string, nodeName: string | undefined, spec: object = {}, annotations: object = {}): object {
  const containers = [{ name: 'main', image: 'x' }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'shop', name, annotations },
    spec: { containers, ...(nodeName !== undefined && { nodeName }), ...spec },
    status: {
      resourceClaimStatuses: [{ name: 'b', resourceClaimName: 'made-of-template' }],
      extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: `made-for-${name}` },
    },
  };
}

function slice(name: string, nodeName: string | undefined): object {
  const spec = { driver: 'd', pool: { name: 'p' }, ...(nodeName === undefined ? { allNodes: true } : { nodeName }) };
  return { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceSlice', metadata: { name }, spec };
}

const env = [
  { name: 'A', valueFrom: { secretKeyRef: { name: 'of-env', key: 'k' } } },
  { name: 'B', valueFrom: { configMapKeyRef: { name: 'of-env', key: 'k' } } },
];
const full = {
  serviceAccountName: 'web',
  resourceClaims: [
    { name: 'a', resourceClaimName: 'devices' },
    { name: 'b', resourceClaimTemplateName: 'template' },
  ],
  imagePullSecrets: [{ name: 'of-pull' }],
  initContainers: [
    { name: 'i', image: 'x', envFrom: [{ secretRef: { name: 'of-init' } }, { configMapRef: { name: 'of-init' } }] },
  ],
  containers: [{ name: 'main', image: 'x', env }],
  volumes: [
    { name: 's', secret: { secretName: 'of-volume' } },
    { name: 'c', configMap: { name: 'of-volume' } },
    {
      name: 'p',
      projected: { sources: [{ secret: { name: 'of-projection' } }, { configMap: { name: 'of-projection' } }] },
    },
    { name: 'd', persistentVolumeClaim: { claimName: 'claim' } },
    { name: 'e', ephemeral: { volumeClaimTemplate: { spec: {} } } },
    { name: 'x', csi: { driver: 'd', nodePublishSecretRef: { name: 'of-driver' } } },
  ],
};
const objects = [
  pod('here', 'a', full),
  pod('there', 'b', { imagePullSecrets: [{ name: 'of-there' }], serviceAccountName: 'other' }),
  pod('nowhere', undefined, { imagePullSecrets: [{ name: 'of-nowhere' }] }),
  pod('mirror', 'a', { imagePullSecrets: [{ name: 'of-mirror' }] }, { 'kubernetes.io/config.mirror': 'x' }),
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name: 'claim' },
    spec: { volumeName: 'volume' },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'volume' },
    spec: { csi: { driver: 'd', nodeStageSecretRef: { name: 'of-stage', namespace: 'storage' } } },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: 'attached' },
    spec: { nodeName: 'a' },
  },
  slice('of-a', 'a'),
  slice('of-b', 'b'),
  slice('of-all', undefined),
];

/** `get secrets shop of-env`, `list pods - - spec.nodeName=a` */
function access(user: User, line: string): Access {
  const [verb = '', what = '', namespace = '-', name = '-', selector] = line.split(' ');
  const [resource = '', of = ''] = what.split(':').reverse();
  return {
    user,
    verb,
    group: of,
    resource,
    ...(namespace !== '-' && { namespace }),
    ...(name !== '-' && { name }),
    ...(selector !== undefined && { fields: parseFieldSelector(selector) }),
  };
}

function verdict(
  line: string,
  { user = agent, world = createFakeWorld({ objects }) }: { user?: User; world?: FakeWorld } = {},
) {
  const { allowed, reason } = rbac.authorize(access(user, line), world);
  return allowed ? 'allowed' : (reason ?? 'refused');
}

describe('an agent of a node may', () => {
  test.each([
    ...['of-env', 'of-pull', 'of-init', 'of-volume', 'of-projection', 'of-driver'].map(
      (name) => `get secrets shop ${name}`,
    ),
    ...['of-env', 'of-init', 'of-volume', 'of-projection'].map((name) => `watch configmaps shop ${name}`),
    'get secrets storage of-stage',
    'get persistentvolumeclaims shop claim',
    'get persistentvolumeclaims shop here-e',
    'update persistentvolumeclaims/status shop claim',
    'get persistentvolumes - volume',
    'get storage.k8s.io:volumeattachments - attached',
    'create serviceaccounts/token shop web',
    'get serviceaccounts shop web',
    'get pods shop here',
    'get pods shop mirror',
    'list pods - - spec.nodeName=a',
    'watch pods - - spec.nodeName=a',
    'update pods/status shop here',
    'create pods shop',
    'delete pods shop here',
    'create pods/eviction shop here',
    'create nodes',
    'get nodes - a',
    'watch nodes - a',
    'patch nodes/status - a',
    'create coordination.k8s.io:leases kube-node-lease',
    'update coordination.k8s.io:leases kube-node-lease a',
    'create events shop',
    'list services',
    'create authorization.k8s.io:subjectaccessreviews',
    'list node.k8s.io:runtimeclasses',
    'get resource.k8s.io:resourceclaims shop devices',
    'get resource.k8s.io:resourceclaims shop made-of-template',
    'get resource.k8s.io:resourceclaims shop made-for-here',
    'create resource.k8s.io:resourceslices',
    'patch resource.k8s.io:resourceslices - of-a',
    'delete resource.k8s.io:resourceslices - of-a',
    'watch resource.k8s.io:resourceslices - - spec.nodeName=a',
    'deletecollection resource.k8s.io:resourceslices - - spec.nodeName=a',
  ])('%s', (line) => expect(verdict(line)).toBe('allowed'));
});

const unrelated = "no relationship found between node 'a' and this object";

describe('an agent of a node may not', () => {
  test.each([
    ['get secrets shop of-there', unrelated],
    ['get secrets shop of-nowhere', unrelated],
    ['get secrets shop of-mirror', unrelated],
    ['get secrets ops of-env', unrelated],
    ['list secrets shop', 'No Object name found'],
    ['list secrets - of-env', 'can only read namespaced object of this type'],
    ['update secrets shop of-env', 'can only read resources of this type'],
    ['get configmaps shop of-there', unrelated],
    ['list persistentvolumeclaims shop', 'can only get individual resources of this type'],
    ['get persistentvolumes - other', unrelated],
    ['create serviceaccounts/token shop other', unrelated],
    ['get serviceaccounts shop other', unrelated],
    ['list serviceaccounts shop', 'can only create tokens for individual service accounts'],
    ['get resource.k8s.io:resourceclaims shop made-for-mirror', unrelated],
    ['get pods shop there', unrelated],
    ['list pods', 'can only list/watch pods with spec.nodeName field selector'],
    ['list pods - - spec.nodeName=b', 'can only list/watch pods with spec.nodeName field selector'],
    ['list pods - - spec.nodeName!=a', 'can only list/watch pods with spec.nodeName field selector'],
    ['update pods shop here', 'refused'],
    ['get pods/log shop here', 'refused'],
    ['deletecollection pods shop - spec.nodeName=a', 'refused'],
    ['get nodes - b', "node 'a' cannot read 'b', only its own Node object"],
    ['list nodes', "node 'a' cannot read all nodes, only its own Node object"],
    ['delete nodes - a', 'refused'],
    [
      'update coordination.k8s.io:leases kube-node-lease b',
      'can only access node lease with the same name as the requesting node',
    ],
    [
      'update coordination.k8s.io:leases kube-system a',
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    ['get resource.k8s.io:resourceclaims shop other', unrelated],
    ['list resource.k8s.io:resourceclaims shop', 'can only get individual resources of this type'],
    ['get resource.k8s.io:resourceslices - of-b', unrelated],
    ['update resource.k8s.io:resourceslices - of-all', unrelated],
    [
      'list resource.k8s.io:resourceslices',
      'can only list/watch/deletecollection resourceslices with nodeName field selector',
    ],
    [
      'deletecollection resource.k8s.io:resourceslices - - spec.nodeName=b',
      'can only list/watch/deletecollection resourceslices with nodeName field selector',
    ],
    ['list namespaces', 'refused'],
    ['list deployments shop', 'refused'],
  ])('%s: %s', (line, reason) => expect(verdict(line)).toBe(reason));

  test('be one by name alone', () => {
    const pretender: User = { name: 'system:node:a', groups: ['system:authenticated'] };
    expect(verdict('get secrets shop of-env', { user: pretender })).toBe('refused');
  });
});

test('what is bound and what ends counts at once', () => {
  const world = createFakeWorld();
  const ask = (): string => verdict('get secrets shop of-pull', { world });
  expect(ask()).toBe(unrelated);
  world.put(pod('here', undefined, full));
  expect(ask()).toBe(unrelated);
  world.put(pod('here', 'a', full));
  expect(ask()).toBe('allowed');
  expect(verdict('get secrets shop of-pull', { world, user: agentOf('b') })).toBe(unrelated.replace("'a'", "'b'"));
  world.remove(pod('here', 'a', full));
  expect(ask()).toBe(unrelated);
});

test('what a binding gives a node besides is given', () => {
  const world = createFakeWorld();
  world.put({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'more' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
  });
  expect(verdict('list pods', { world })).toBe('allowed');
});

test('its rules cannot all be told', () => {
  expect(rbac.rulesFor({ user: agent, namespace: 'shop' }, createFakeWorld())).toMatchObject({
    incomplete: true,
    evaluationError: 'node authorizer does not support user rule resolution',
  });
});
