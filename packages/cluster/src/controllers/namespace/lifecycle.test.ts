import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Namespace } from '../../api/generated/core-v1.ts';
import { configmaps, customresourcedefinitions, events, namespaces, pods, secrets } from '../../api/generated/kinds.ts';
import { apiVersionOf, type ResourceType, resourceType } from '../../api/gvk.ts';
import type { KubeObject, New, ObjectMeta } from '../../api/meta.ts';
import { failure, StatusError } from '../../api/status.ts';
import type { Action } from '../../runtime/plan.ts';
import { makeMeta } from '../../testing/makers.ts';
import { createTestPlane, type TestPlane } from '../../testing/plane.ts';
import { conditionsOf } from './conditions.ts';
import { createNamespaceLifecycle } from './lifecycle.ts';
import { type Content, deletions, finalized } from './plan.ts';

function content(type: ResourceType, metas: Readonly<Record<string, ObjectMeta>>): Content {
  const objects = Object.entries(metas).map(([name, meta]) => ({
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: makeMeta({ namespace: 'team', ...meta, name }),
  }));
  return { type, objects };
}
const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const line = (action: Action): string =>
  'target' in action ? `${action.do} ${action.target.metadata.name}` : action.do;

describe('deletions', () => {
  test.each<[string, readonly Content[], readonly string[]]>([
    ['an empty namespace needs none', [content(pods, {}), content(configmaps, {})], []],
    ['pods go first', [content(configmaps, { c: {} }), content(pods, { p: {} })], ['delete p']],
    ['everything else waits for pods that end', [content(configmaps, { c: {} }), content(pods, { p: deleting })], []],
    [
      'then everything goes, but what is going already',
      [content(pods, {}), content(configmaps, { c: {}, d: deleting }), content(secrets, { s: {} })],
      ['delete c', 'delete s'],
    ],
  ])('%s', (_, all, expected) => expect(deletions(all).map(line)).toEqual(expected));
});

describe('conditions', () => {
  const say = (objects: readonly Content[], error?: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      conditionsOf([], { remaining: { objects, ...(error !== undefined && { failure: error }) }, nowMs: 0 }).map(
        ({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`],
      ),
    );

  test('all is well with an empty namespace', () => {
    expect(say([])).toEqual({
      NamespaceDeletionDiscoveryFailure: 'False ResourcesDiscovered: All resources successfully discovered',
      NamespaceDeletionGroupVersionParsingFailure:
        'False ParsedGroupVersions: All legacy kube types successfully parsed',
      NamespaceDeletionContentFailure:
        'False ContentDeleted: All content successfully deleted, may be waiting on finalization',
      NamespaceContentRemaining: 'False ContentRemoved: All content successfully removed',
      NamespaceFinalizersRemaining: 'False ContentHasNoFinalizers: All content-preserving finalizers finished',
    });
  });

  test('what is left is counted, sorted by resource', () => {
    const left = [
      content(pods, { a: {}, b: { finalizers: ['x/hold'] } }),
      content(configmaps, { c: { finalizers: ['x/hold'] } }),
    ];
    expect(say(left, 'no')).toMatchObject({
      NamespaceDeletionContentFailure: 'True ContentDeletionFailed: Failed to delete content: no',
      NamespaceContentRemaining:
        'True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, pods. has 2 resource instances',
      NamespaceFinalizersRemaining:
        'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: x/hold in 2 resource instances',
    });
  });

  test('the time of a condition moves only when it turns', () => {
    const first = conditionsOf([], { remaining: { objects: [content(pods, { a: {} })] }, nowMs: 0 });
    const second = conditionsOf(first, { remaining: { objects: [] }, nowMs: 5_000 });
    const times = Object.fromEntries(second.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]));
    expect(times['NamespaceContentRemaining']).toBe('1970-01-01T00:00:05Z');
    expect(times['NamespaceFinalizersRemaining']).toBe('1970-01-01T00:00:00Z');
  });
});

test('only our own finalizer is removed', () => {
  const namespace = (finalizers: readonly string[]): Namespace => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: makeMeta({ name: 'team' }),
    spec: { finalizers },
    status: {},
  });
  expect(finalized(namespace(['kubernetes', 'mine']))?.spec.finalizers).toEqual(['mine']);
  expect(finalized(namespace(['mine']))).toBeUndefined();
});

describe('on a plane', () => {
  let plane: TestPlane;
  let refused: string | undefined;

  beforeEach(async () => {
    refused = undefined;
    plane = await createTestPlane({
      between: (transport) => ({
        async perform(operation, waiting) {
          if (operation.verb === 'delete' && operation.name === refused)
            throw new StatusError(failure(403, 'Forbidden', 'a webhook says no'));
          return transport.perform(operation, waiting);
        },
        watch: (operation, waiting) => transport.watch(operation, waiting),
      }),
    });
    plane.start(createNamespaceLifecycle(plane.platform, plane.served));
    await plane.clock.settle();
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } }, namespaces);
  });
  afterEach(() => plane.close());

  const create = (object: object, type: ResourceType = configmaps): Promise<KubeObject> =>
    plane.client.create(type, object as New<KubeObject>, { signal: plane.signal });
  const configmap = (name: string, finalizers: readonly string[] = []): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'team', finalizers },
  });
  const pod = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'team' },
    spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'app:1' }] },
  });
  const remove = async (): Promise<void> => {
    await plane.client.delete(namespaces, { signal: plane.signal, name: 'team' });
    await plane.clock.advance(1_000);
  };
  const team = (): Promise<Namespace | undefined> => plane.find(namespaces, 'team');

  test('a namespace goes with all of its content, custom resources and events included', async () => {
    const widgets = resourceType({
      group: 'example.com',
      version: 'v1',
      resource: 'widgets',
      kind: 'Widget',
      namespaced: true,
    });
    await create(
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'widgets.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'widgets', kind: 'Widget' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      },
      customresourcedefinitions,
    );
    await plane.clock.advance(1_000);
    await create({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'team' } }, widgets);
    await Promise.all(Array.from({ length: 600 }, (_, index) => create(configmap(`c-${index}`))));
    const involvedObject = { kind: 'Pod', namespace: 'team', name: 'p' };
    for (const name of ['one', 'two'])
      await create(
        { apiVersion: 'v1', kind: 'Event', metadata: { name, namespace: 'team' }, involvedObject, reason: 'R' },
        events,
      );
    await create({ ...configmap('mine'), metadata: { name: 'mine', namespace: 'default' } });
    await remove();
    expect(await team()).toBeUndefined();
    for (const type of [configmaps, events, widgets]) expect(await plane.names(type, 'team')).toEqual([]);
    expect(await plane.names(configmaps, 'default')).toEqual(['mine']);
    expect(plane.problems).toEqual([]);
  });

  test('pods end with their grace, and nothing that they use goes before them', async () => {
    await create(pod('p'), pods);
    await create(configmap('c'));
    await remove();
    expect((await plane.find(pods, 'p', 'team'))?.metadata.deletionGracePeriodSeconds).toBe(30);
    expect(await plane.names(configmaps, 'team')).toEqual(['c']);
    const { phase, conditions = [] } = (await team())?.status ?? {};
    expect(phase).toBe('Terminating');
    expect(conditions.find(({ type }) => type === 'NamespaceContentRemaining')?.message).toBe(
      'Some resources are remaining: configmaps. has 1 resource instances, pods. has 1 resource instances',
    );
    await plane.client.delete(pods, { signal: plane.signal, namespace: 'team', name: 'p', gracePeriodSeconds: 0 });
    await plane.clock.advance(300);
    expect(await team()).toBeUndefined();
  });

  test('a finalizer holds the namespace, which says so, and goes on the moment it is removed', async () => {
    await create(configmap('held', ['example.com/hold']));
    await remove();
    const { conditions = [] } = (await team())?.status ?? {};
    expect(conditions.find(({ type }) => type === 'NamespaceFinalizersRemaining')).toMatchObject({
      status: 'True',
      message: 'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    });
    const body = { metadata: { finalizers: null } };
    await plane.client.patch(configmaps, {
      signal: plane.signal,
      namespace: 'team',
      name: 'held',
      patchType: 'merge',
      body,
    });
    await plane.clock.advance(300);
    expect(await team()).toBeUndefined();
  });

  test('a refused deletion is said and tried again', async () => {
    refused = 'c';
    await create(configmap('c'));
    await remove();
    const { conditions = [] } = (await team())?.status ?? {};
    expect(conditions.find(({ type }) => type === 'NamespaceDeletionContentFailure')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('a webhook says no'),
    });
    refused = undefined;
    await plane.clock.advance(60_000);
    expect(await team()).toBeUndefined();
  });

  test('creates that race with the deletion leave nothing behind', async () => {
    const racing = Array.from({ length: 50 }, async (_, index) => {
      if (index === 25) await remove();
      return create(configmap(`r-${index}`)).catch(() => undefined);
    });
    await Promise.all(racing);
    await plane.clock.advance(120_000);
    expect(await team()).toBeUndefined();
    expect(await plane.names(configmaps, 'team')).toEqual([]);
  });
});
