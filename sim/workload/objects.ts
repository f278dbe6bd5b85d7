import {
  configmaps,
  customresourcedefinitions,
  events,
  type KubeObject,
  type New,
  namespaces,
  type ResourceType,
  resourceType,
  secrets,
} from '@signalbox/cluster';
import { chance, namespacePool, pick, widgetDefinition } from '../manifests.ts';
import { anyPolicy, deleteAny, patchAny, type RandomOperation, toAny } from './operation.ts';

export const widgets: ResourceType = resourceType({
  group: 'sim.example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

const namespaced: readonly RandomOperation[] = [
  {
    name: 'create a namespace',
    weight: 2,
    async run({ client, random, signal }) {
      const name = pick(random, ['team-a', 'team-b']);
      await client.create(
        namespaces,
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} },
        { signal },
      );
      return name;
    },
  },
  {
    name: 'delete a namespace',
    weight: 0.6,
    async run({ client, random, signal }) {
      const name = pick(random, ['team-a', 'team-b']);
      await client.delete(namespaces, { name, signal });
      return name;
    },
  },
  {
    name: 'create a Secret',
    weight: 2,
    async run({ client, random, signal }) {
      const metadata = { namespace: pick(random, namespacePool), name: `secret-${random.below(2)}` };
      await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { a: '1' } }, { signal });
      return metadata.name;
    },
  },
  {
    name: 'edit a Secret',
    weight: 2,
    run: (doing) => patchAny(secrets, doing, (random) => ({ stringData: { a: `${random.below(100)}` } })),
  },
];

const custom: readonly RandomOperation[] = [
  {
    name: 'create the custom resource',
    weight: 1,
    async run({ client, signal }) {
      await client.create(customresourcedefinitions as ResourceType, widgetDefinition, { signal });
      return 'widgets';
    },
  },
  {
    name: 'delete the custom resource',
    weight: 0.4,
    run: (doing) => deleteAny(customresourcedefinitions, doing, () => ({})),
  },
  {
    name: 'create a widget',
    weight: 3,
    async run({ client, random, signal }) {
      const metadata = { namespace: pick(random, namespacePool), name: `widget-${random.below(2)}` };
      await client.create(widgets, { apiVersion: 'sim.example.com/v1', kind: 'Widget', metadata }, { signal });
      return metadata.name;
    },
  },
  {
    name: 'let a widget own a ConfigMap',
    weight: 3,
    run: (doing) =>
      toAny(widgets, doing, (owner) => {
        const { client, random, signal } = doing;
        return client.create(configmaps, owned(owner, `config-${random.below(4)}`, chance(random, 0.5)), { signal });
      }),
  },
  { name: 'delete a widget', weight: 2, run: (doing) => deleteAny(widgets, doing, anyPolicy) },
];

function owned({ apiVersion, kind, metadata }: KubeObject, name: string, blockOwnerDeletion: boolean): New<KubeObject> {
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid, blockOwnerDeletion };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: metadata.namespace ?? '', name, ownerReferences: [reference] },
  };
}

export const objectOperations: readonly RandomOperation[] = [
  ...namespaced,
  ...custom,
  { name: 'delete an event', weight: 1, run: (doing) => deleteAny(events, doing, () => ({})) },
];
