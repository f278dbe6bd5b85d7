/** Kinds of another group that share a built-in one's name are ordinary custom resources: no door, no rule, no controller. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events, namespaces, pods } from '../api/generated/kinds.ts';
import { apiVersionOf, type ResourceType, resourceType } from '../api/gvk.ts';
import type { KubeObject, New } from '../api/meta.ts';
import type { Operation, Outcome } from '../api/operation.ts';
import { inInstallOrder } from '../client/apply.ts';
import { adminUser } from '../cluster.ts';
import { builtinDefinitions } from '../resources/builtin.ts';
import { createTestCluster, type TestCluster } from '../testing/test-cluster.ts';

const group = 'example.com';
const signal = new AbortController().signal;

/** One of every built-in name, as if somebody had copied the whole API. */
const types: readonly ResourceType[] = [
  ...new Map(
    builtinDefinitions.map((each) => [
      each.resource,
      resourceType({ group, version: 'v1', resource: each.resource, kind: each.kind, namespaced: each.namespaced }),
    ]),
  ).values(),
];

/** Every subresource that any built-in kind has. */
const doors: readonly string[] = [
  ...new Set([
    'status',
    'ephemeralcontainers',
    'token',
    ...builtinDefinitions.flatMap(({ subresources }) => subresources.map(({ name }) => name)),
  ]),
].sort();

const definition = ({ resource, kind, namespaced }: ResourceType): New<KubeObject> =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${resource}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural: resource, kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  }) as New<KubeObject>;

let cluster: TestCluster;

const place = ({ namespaced }: ResourceType): { readonly namespace?: string } =>
  namespaced ? { namespace: 'default' } : {};
const objectOf = (type: ResourceType, name: string): New<KubeObject> =>
  ({
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { name, ...place(type) },
    spec: { free: [1] },
  }) as New<KubeObject>;
const perform = (operation: Operation): Promise<Outcome> => cluster.during(cluster.api.perform(operation, { signal }));
const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: { readonly status?: { readonly code?: number } }) => error.status?.code ?? error,
  );

beforeAll(async () => {
  cluster = await createTestCluster({ nodes: 1 });
  await cluster.during(cluster.apply(types.map(definition)));
  await cluster.advance(2_000);
});
afterAll(() => cluster.close());

describe.each(types.map((type) => [type.resource, type] as const))('%s.example.com', (_, type) => {
  const target = { resource: type, user: adminUser, ...place(type) };

  test('is created, changed and deleted as any custom resource', async () => {
    const { client } = cluster;
    const made = await cluster.during(client.create(type, objectOf(type, 'twin'), { signal }));
    expect(made).toMatchObject({ spec: { free: [1] }, metadata: { generation: 1 } });
    expect(made.metadata.labels).toBeUndefined();
    expect(Object.keys(made).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    await cluster.advance(60_000);
    const kept = await cluster.during(client.get(type, { ...place(type), name: 'twin', signal }));
    expect(kept).toEqual(made);
    const body = { spec: { free: [2] } };
    const changed = await cluster.during(
      client.patch(type, { ...place(type), name: 'twin', patchType: 'merge', body, signal }),
    );
    expect(changed.metadata.generation).toBe(2);
    expect(
      await refusalOf(
        perform({ ...target, verb: 'update', name: 'absent', body: objectOf(type, 'absent'), options: {} }),
      ),
    ).toBe(404);
    const deletion = { propagationPolicy: 'Foreground', gracePeriodSeconds: 30 } as const;
    const gone = await perform({ ...target, verb: 'delete', name: 'twin', options: deletion });
    expect(gone.object).toMatchObject({
      metadata: { finalizers: ['foregroundDeletion'], deletionGracePeriodSeconds: 0 },
    });
    await cluster.advance(5_000);
    expect(await refusalOf(perform({ ...target, verb: 'get', name: 'twin' }))).toBe(404);
  });

  test('has no door that its definition does not open', async () => {
    await cluster.during(cluster.client.create(type, objectOf(type, 'walled'), { signal }));
    for (const subresource of doors) {
      const door = { ...target, name: 'walled', subresource };
      const body = { metadata: { name: 'walled', ...place(type) } };
      const asked: readonly Operation[] = [
        { ...door, verb: 'get' },
        { ...door, verb: 'create', body, options: {} },
        { ...door, verb: 'update', body, options: {} },
        { ...door, verb: 'patch', patchType: 'merge', body, options: {} },
      ];
      for (const operation of asked)
        expect([subresource, operation.verb, await refusalOf(perform(operation))]).toEqual([
          subresource,
          operation.verb,
          404,
        ]);
      expect(cluster.api.text?.({ ...door, verb: 'get' }, { signal })).toBeUndefined();
    }
    await cluster.during(cluster.client.delete(type, { ...place(type), name: 'walled', signal }));
  });

  test('is described without the doors of its namesake', () => {
    const described = cluster.api.document({ what: 'resources', group, version: 'v1' }) as {
      readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
    };
    const own = described.resources.filter(({ name }) => name.split('/')[0] === type.resource);
    expect(own.map(({ name }) => name)).toEqual([type.resource]);
    expect(own[0]?.verbs).toContain('deletecollection');
  });
});

test('a custom owner of a built-in name owns, and its dependents go with it', async () => {
  const { client } = cluster;
  for (const kind of ['ReplicaSet', 'DaemonSet', 'Deployment', 'Pod', 'StatefulSet', 'Job', 'Event', 'Node']) {
    const type = types.find((each) => each.kind === kind) as ResourceType;
    const owner = await cluster.during(client.create(type, objectOf(type, 'owner'), { signal }));
    const reference = { apiVersion: owner.apiVersion, kind, name: 'owner', uid: owner.metadata.uid, controller: true };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'owned', namespace: 'default', ownerReferences: [reference] },
      spec: { containers: [{ name: 'main', image: 'app:1' }], terminationGracePeriodSeconds: 0 },
    } as unknown as New<KubeObject>;
    await cluster.during(client.create(pods as ResourceType, pod, { signal }));
    await cluster.advance(10_000);
    await cluster.during(client.get(pods, { namespace: 'default', name: 'owned', signal }));
    await cluster.during(client.delete(type, { ...place(type), name: 'owner', signal }));
    await cluster.advance(10_000);
    expect([
      kind,
      await refusalOf(cluster.during(client.get(pods, { namespace: 'default', name: 'owned', signal }))),
    ]).toEqual([kind, 404]);
  }
});

test('a namespace goes with what it holds of them, and waits for their finalizers', async () => {
  const { client } = cluster;
  const team = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } } as unknown as New<KubeObject>;
  await cluster.during(client.create(namespaces as ResourceType, team, { signal }));
  const local = types.filter(({ namespaced }) => namespaced);
  for (const type of local) {
    const held = {
      ...objectOf(type, 'held'),
      metadata: { name: 'held', namespace: 'team', finalizers: ['example.com/hold'] },
    };
    await cluster.during(client.create(type, held, { signal }));
  }
  await cluster.during(client.delete(namespaces, { name: 'team', signal }));
  await cluster.advance(20_000);
  for (const type of local) {
    const held = await cluster.during(client.get(type, { namespace: 'team', name: 'held', signal }));
    expect(held.metadata.deletionTimestamp).toBeDefined();
    await cluster.during(
      client.patch(type, {
        namespace: 'team',
        name: 'held',
        patchType: 'merge',
        body: { metadata: { finalizers: null } },
        signal,
      }),
    );
  }
  await cluster.advance(60_000);
  expect(await refusalOf(cluster.during(client.get(namespaces, { name: 'team', signal })))).toBe(404);
});

test('nothing of the plane minds them', async () => {
  const { items } = await cluster.during(cluster.client.list(events, { signal }));
  expect(items.filter((event) => event.involvedObject?.apiVersion === 'example.com/v1')).toEqual([]);
  expect(cluster.problems).toEqual([]);
});

test('what is applied first is told by group, too: a custom Namespace comes after its definition', () => {
  const custom = { apiVersion: 'example.com/v1', kind: 'Namespace' };
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  const namespace = { apiVersion: 'v1', kind: 'Namespace' };
  expect(inInstallOrder([custom, crd, namespace])).toEqual([namespace, crd, custom]);
});
