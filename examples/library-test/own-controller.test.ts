/** A controller of one's own for a kind of one's own, on a whole cluster: its pods are scheduled, run and become ready. */
import {
  type Controller,
  controllerReference,
  createControllerRunner,
  type KubeObject,
  owned,
  type Pod,
  pods,
  primary,
  resourceType,
} from '@signalbox/cluster';
import { createTestCluster } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';

interface Squad extends KubeObject {
  readonly spec: { readonly size: number };
}

const squads = resourceType<Squad>({
  group: 'example.com',
  version: 'v1',
  resource: 'squads',
  kind: 'Squad',
  namespaced: true,
});

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: squads.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: squads, singular: squad, kind: Squad }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { size: { type: integer, minimum: 0 } }, required: [size] } }
`;

interface Observed {
  readonly squad: Squad;
  readonly members: readonly Pod[];
}

const squadController: Controller<Observed> = {
  name: 'squad',
  watches: [primary(squads), owned(pods, squads)],
  observe(key, caches) {
    const squad = caches.of(squads).get(key);
    if (squad === undefined) return undefined;
    return { squad, members: caches.of(pods).ownedBy(squad.metadata.uid) };
  },
  // Pure: what there is and the time go in, what should happen comes out.
  plan({ squad, members }) {
    const taken = new Set(members.map(({ metadata }) => metadata.name));
    const wanted = Array.from({ length: squad.spec.size }, (_, index) => `${squad.metadata.name}-${index}`);
    return {
      actions: [
        ...wanted
          .filter((name) => !taken.has(name))
          .map((name) => ({ do: 'create', type: pods, object: member(squad, name) }) as const),
        ...members
          .filter(({ metadata }) => !wanted.includes(metadata.name))
          .map((target) => ({ do: 'delete', type: pods, target }) as const),
      ],
    };
  },
};

function member(squad: Squad, name: string) {
  const { namespace = '' } = squad.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ownerReferences: [controllerReference(squad)] },
    spec: { containers: [{ name: 'main', image: 'example.com/member:1' }] },
  };
}

test('a squad has as many ready pods as it asks for, and they go with it', async () => {
  const cluster = await createTestCluster({
    manifests: definition,
    components: [(platform) => createControllerRunner(squadController, platform)],
  });
  const { client } = cluster;
  const squad = await client.create(squads, {
    apiVersion: 'example.com/v1',
    kind: 'Squad',
    metadata: { name: 'red', namespace: 'default' },
    spec: { size: 3 },
  });
  await cluster.advance(5_000);
  const ready = async () =>
    (await client.list(pods, { namespace: 'default' })).items
      .filter(({ status }) => status.phase === 'Running')
      .map(({ metadata }) => metadata.name);
  expect(await ready()).toEqual(['red-0', 'red-1', 'red-2']);

  await client.patch(squads, { ...name(squad), patchType: 'merge', body: { spec: { size: 1 } } });
  await cluster.advance(60_000);
  expect(await ready()).toEqual(['red-0']);

  await client.delete(squads, name(squad));
  await cluster.advance(60_000);
  expect(await ready()).toEqual([]);
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

function name({ metadata }: KubeObject) {
  return { namespace: metadata.namespace, name: metadata.name };
}
