/** Every part of the plane, in a life in which it does all that it ever does. */
import { expect, test } from 'vitest';
import {
  certificatesigningrequests,
  configmaps,
  daemonsets,
  deployments,
  namespaces,
  nodes,
  persistentvolumeclaims,
  pods,
  replicasets,
  replicationcontrollers,
  secrets,
  serviceaccounts,
  services,
  statefulsets,
} from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import { systemIdentities } from '../../api/system-identities.ts';
import { stoppedAnnotation } from '../../node/driver.ts';
import { janesCertificate } from '../resources/certificate-requests.ts';
import { createTestCluster } from '../test-cluster.ts';
import { createIdentityJudge } from './identity-judge.ts';
import { important, life } from './identity-life.ts';

/** What is listed although no story shows it, and why. */
const excused: readonly (readonly [deed: RegExp, why: string])[] = [
  [/^patch events$/, 'an event that is told again is counted on the one that is there'],
  [/endpoint(slice(mirroring)?)?-controller create events$/, 'they tell of writes that fail, and of nothing else'],
  [/ephemeral-volume-controller create events$/, 'it tells of a claim of that name that is somebody else’s'],
  [
    /endpointslice-controller delete endpointslices/,
    'a Service loses a slice when it shrinks below a hundred endpoints',
  ],
  [/job-controller get jobs/, 'a Job whose selector was written by hand takes over a pod of nobody'],
  [/system:node get leases/, 'a lease that was written by somebody else is read before the next try'],
  [/system:node create nodes$/, 'a driver that has nodes of its own registers them'],
  [/kube-scheduler get pods$/, 'a pod that could not be bound is read before the next try'],
];

test('who is part of the plane needs all that is listed, and no more', async () => {
  const judge = createIdentityJudge();
  let pem = 'CA';
  const wakes = new Set<() => void>();
  const cluster = await createTestCluster({
    nodes: 3,
    authorizer: judge,
    certificateAuthority: {
      pem: () => pem,
      onChange: (wake) => {
        wakes.add(wake);
        return () => wakes.delete(wake);
      },
      signRequest: () => Promise.resolve(Buffer.from(janesCertificate, 'base64').toString()),
    },
  });
  const { signal } = new AbortController();
  const { client } = cluster;
  const shop = { namespace: 'shop', signal };
  await cluster.advance(2_000);
  const elsewhere = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'elsewhere', namespace: 'default' } };
  await cluster.apply([elsewhere]);
  const strayed = (await client.get(configmaps, { name: 'elsewhere', namespace: 'default', signal })).metadata.uid;
  const apply = (image: string): Promise<unknown> => cluster.applyYaml(life({ image, strayed }));
  await apply('app:1');
  await cluster.advance(60_000);
  const approved = { type: 'Approved', status: 'True', reason: 'ByHand' };
  await client.patch(certificatesigningrequests, {
    ...{ name: 'jane', subresource: 'approval', patchType: 'merge', signal },
    body: { status: { conditions: [approved] } },
  });
  for (const image of ['app:2', 'app:1', 'app:3', 'app:2']) {
    await apply(image);
    await cluster.advance(60_000);
  }
  await cluster.applyYaml(important);
  await cluster.advance(60_000);
  // What its maker leaves behind is taken over by the next of its name.
  for (const [type, name] of [
    [deployments, 'd'],
    [replicasets, 'rs'],
    [statefulsets, 's'],
    [daemonsets, 'ds'],
    [replicationcontrollers, 'rc'],
  ] as const)
    await client.delete(type as ResourceType, { ...shop, name, propagationPolicy: 'Orphan' });
  await cluster.advance(10_000);
  await apply('app:2');
  await cluster.advance(60_000);
  // A node falls silent with what runs on it.
  const silent = { metadata: { annotations: { [stoppedAnnotation]: 'true' } } };
  await client.patch(nodes, { name: 'node-3', patchType: 'merge', body: silent, signal });
  await cluster.advance(600_000);
  const scaled = (replicas: number): object => ({ spec: { replicas } });
  for (const type of [deployments, replicasets, statefulsets, replicationcontrollers] as readonly ResourceType[])
    await client.patch(type, {
      ...{ ...shop, patchType: 'merge', body: scaled(0) },
      name:
        { deployments: 'd', replicasets: 'rs', statefulsets: 's', replicationcontrollers: 'rc' }[type.resource] ?? '',
    });
  await cluster.advance(600_000);
  pem = 'CA and its successor';
  for (const wake of wakes) wake();
  // An account lists a token that ends; somebody tells a pod that it has to go, and lets it be.
  const listing = { secrets: [{ name: 'robot-listed' }] };
  await client.patch(serviceaccounts, { ...shop, name: 'robot', patchType: 'merge', body: listing });
  await client.delete(secrets, { ...shop, name: 'robot-listed' });
  await cluster.advance(1_000);
  await client.delete(serviceaccounts, { ...shop, name: 'robot' });
  const told = [
    { type: 'DisruptionTarget', status: 'True', reason: 'ByHand', lastTransitionTime: '2020-01-01T00:00:00Z' },
  ];
  await client.patch(pods, {
    ...{ ...shop, name: 'too-large', patchType: 'strategic', subresource: 'status' },
    body: { status: { conditions: told } },
  });
  for (const name of ['a', 'outside']) await client.delete(services, { ...shop, name });
  await client.delete(replicasets, { ...shop, name: 'important' });
  await client.delete(nodes, { name: 'node-3', signal });
  await client.delete(persistentvolumeclaims, { name: 'by-hand', namespace: 'default', signal });
  await cluster.advance(120_000);
  await client.delete(namespaces, { name: 'shop', signal });
  await cluster.advance(7_200_000);
  expect(cluster.problems).toEqual([]);
  await cluster.close();
  expect([...judge.excess]).toEqual([]);
  const parts = systemIdentities.filter(({ user }) => !user.groups.includes('system:masters'));
  const vain = parts.flatMap(({ user }) =>
    judge
      .unused(user.name)
      .filter((deed) => !excused.some(([excuse]) => excuse.test(deed) || excuse.test(`${user.name} ${deed}`)))
      .map((deed) => `${user.name} ${deed}`),
  );
  expect(vain).toEqual([]);
}, 30_000);
