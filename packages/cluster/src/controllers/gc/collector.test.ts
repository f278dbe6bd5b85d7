import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  configmaps,
  customresourcedefinitions,
  events,
  namespaces,
  pods,
  secrets,
  serviceaccounts,
} from '../../api/generated/kinds.ts';
import { type ResourceType, resourceType } from '../../api/gvk.ts';
import type { KubeObject, New, OwnerReference } from '../../api/meta.ts';
import type { DeleteOptions, Operation } from '../../api/operation.ts';
import { seededRandom } from '../../base/random.ts';
import { createTestPlane, type TestPlane } from '../../testing/plane.ts';
import { createGarbageCollector } from './collector.ts';

let plane: TestPlane;
let performed: Operation[];
/** A resource whose changes nobody hears of yet. */
let frozen: { readonly resource: string; readonly until: Promise<void> } | undefined;

beforeEach(async () => {
  performed = [];
  frozen = undefined;
  plane = await createTestPlane({
    between: (transport) => ({
      perform(operation, waiting) {
        performed.push(operation);
        return transport.perform(operation, waiting);
      },
      async *watch(operation, waiting) {
        for await (const event of transport.watch(operation, waiting)) {
          if (operation.resource.resource === frozen?.resource) await frozen.until;
          yield event;
        }
      },
    }),
  });
  plane.start(createGarbageCollector(plane.platform, plane.served));
  await plane.clock.settle();
});

afterEach(() => plane.close());

interface Making {
  readonly type?: ResourceType;
  readonly namespace?: string;
  readonly finalizers?: readonly string[];
  readonly owners?: readonly OwnerReference[];
}

function make(
  name: string,
  { type = configmaps, namespace = 'default', finalizers, owners }: Making = {},
): Promise<KubeObject> {
  const object = {
    apiVersion: type.group === '' ? type.version : `${type.group}/${type.version}`,
    kind: type.kind,
    metadata: { name, namespace, ...(finalizers && { finalizers }), ...(owners && { ownerReferences: owners }) },
  };
  return plane.client.create(type, object as New<KubeObject>, { signal: plane.signal });
}

const by = ({ apiVersion, kind, metadata }: KubeObject, blockOwnerDeletion = false): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  ...(blockOwnerDeletion && { blockOwnerDeletion }),
});

async function remove(
  object: KubeObject,
  options: DeleteOptions & { readonly type?: ResourceType } = {},
): Promise<void> {
  const { type = configmaps, ...rest } = options;
  const { namespace, name } = object.metadata;
  await plane.client.delete(type, { signal: plane.signal, namespace, name, ...rest });
  await plane.clock.advance(1_000);
}

const left = (): Promise<readonly string[]> => plane.names(configmaps, 'default');

test('dependents of a deleted owner go, over any number of steps', async () => {
  const top = await make('top');
  const middle = await make('middle', { owners: [by(top)] });
  await make('bottom', { owners: [by(middle)] });
  await make('bystander');
  await remove(top);
  expect(await left()).toEqual(['bystander']);
});

test('an owner that was never there takes its dependents with it, a living one of the same name does not count', async () => {
  const now = await make('owner');
  await make('stale', { owners: [{ ...by(now), uid: 'of-an-earlier-one' }] });
  await make('good', { owners: [by(now)] });
  await plane.clock.advance(1_000);
  expect(await left()).toEqual(['good', 'owner']);
});

test('a dependent with two owners stays until both are gone', async () => {
  const one = await make('one');
  const two = await make('two');
  await make('both', { owners: [by(one), by(two)] });
  await remove(one);
  expect((await plane.find(configmaps, 'both', 'default'))?.metadata.ownerReferences).toEqual([by(two)]);
  await remove(two);
  expect(await left()).toEqual([]);
});

test('foreground: the owner goes after the dependents that block it', async () => {
  const owner = await make('owner');
  const child = await make('child', { owners: [by(owner, true)] });
  await make('grandchild', { owners: [by(child, true)], finalizers: ['example.com/hold'] });
  await remove(owner, { propagationPolicy: 'Foreground' });
  expect(await left()).toEqual(['child', 'grandchild', 'owner']);
  await plane.client.patch(configmaps, {
    signal: plane.signal,
    namespace: 'default',
    name: 'grandchild',
    patchType: 'merge',
    body: { metadata: { finalizers: null } },
  });
  await plane.clock.advance(1_000);
  expect(await left()).toEqual([]);
});

test('orphan: dependents lose their owner and stay', async () => {
  const owner = await make('owner');
  await make('a', { owners: [by(owner)] });
  await make('b', { owners: [by(owner)] });
  await remove(owner, { propagationPolicy: 'Orphan' });
  expect(await left()).toEqual(['a', 'b']);
  expect((await plane.find(configmaps, 'a', 'default'))?.metadata.ownerReferences).toBeUndefined();
});

describe('circles', () => {
  async function circle(): Promise<readonly KubeObject[]> {
    const [one, two, three] = await Promise.all(['one', 'two', 'three'].map((name) => make(name)));
    if (!one || !two || !three) throw new Error('three were made');
    const ring = [
      [one, three],
      [two, one],
      [three, two],
    ] as const;
    for (const [object, owner] of ring)
      await plane.client.patch(configmaps, {
        signal: plane.signal,
        namespace: 'default',
        name: object.metadata.name,
        patchType: 'merge',
        body: { metadata: { ownerReferences: [by(owner, true)] } },
      });
    await plane.clock.advance(1_000);
    return [one, two, three];
  }

  test('stay as long as nobody deletes one of them', async () => {
    await circle();
    expect(await left()).toHaveLength(3);
  });

  test.each(['Foreground', 'Background'] as const)('do not block a deletion (%s)', async (propagationPolicy) => {
    const [one] = await circle();
    if (one) await remove(one, { propagationPolicy });
    expect(await left()).toEqual([]);
  });

  test('do not block when all of them are deleted in the foreground at once', async () => {
    const all = await circle();
    await Promise.all(all.map((each) => remove(each, { propagationPolicy: 'Foreground' })));
    await plane.clock.advance(1_000);
    expect(await left()).toEqual([]);
  });
});

test('an owner in another namespace counts as absent, and an event says so', async () => {
  await plane.client.create(
    namespaces,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } } as New<KubeObject>,
    {
      signal: plane.signal,
    },
  );
  const owner = await make('owner', { namespace: 'other' });
  await make('astray', { owners: [by(owner)] });
  await plane.clock.advance(1_000);
  expect(await left()).toEqual([]);
  const said = await plane.all(events, 'default');
  expect(said.map(({ reason, type, involvedObject }) => [type, reason, involvedObject.name])).toEqual([
    ['Warning', 'OwnerRefInvalidNamespace', 'astray'],
  ]);
});

test('a cache that lags behind costs nobody an object', async () => {
  let thaw: () => void = () => undefined;
  frozen = { resource: 'secrets', until: new Promise<void>((resolve) => (thaw = resolve)) };
  const owner = await make('owner', { type: secrets });
  await make('made-by-unseen', { owners: [by(owner)] });
  await plane.clock.advance(60_000);
  expect(plane.platform.informers.of(secrets).size).toBe(0);
  expect(await left()).toEqual(['made-by-unseen']);
  thaw();
  await plane.clock.settle();
  expect(await left()).toEqual(['made-by-unseen']);
  await remove(owner, { type: secrets });
  expect(await left()).toEqual([]);
});

test('a reference to a kind that nothing serves deletes nothing, until somebody does', async () => {
  await make('waits', {
    owners: [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'nowhere' }],
  });
  await plane.clock.advance(60_000);
  expect(await left()).toEqual(['waits']);
  await defineWidgets();
  expect(await left()).toEqual([]);
});

const widgets = resourceType({
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

async function defineWidgets(): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
  await plane.client.create(customresourcedefinitions, definition as unknown as New<KubeObject>, {
    signal: plane.signal,
  });
  await plane.clock.advance(2_000);
}

test('custom resources that appear later own and are owned, also when their definition goes and comes back', async () => {
  for (let round = 0; round < 2; round++) {
    await defineWidgets();
    const owner = await make('owner');
    const widget = await make('w', { type: widgets, owners: [by(owner)] });
    await make('made-by-widget', { owners: [by(widget)] });
    await remove(owner);
    expect(await plane.names(widgets, 'default')).toEqual([]);
    expect(await left()).toEqual([]);

    const second = await make('second', { type: widgets });
    await make('made-by-second', { owners: [by(second)] });
    await plane.client.delete(customresourcedefinitions, { signal: plane.signal, name: 'widgets.example.com' });
    await plane.clock.advance(2_000);
    expect(await left()).toEqual([]);
  }
});

test('two thousand dependents cost one look at the API and one delete each', async () => {
  const owner = await make('owner', { type: secrets });
  await Promise.all(Array.from({ length: 2_000 }, (_, index) => make(`pod-${index}`, { owners: [by(owner)] })));
  await plane.clock.settle();
  performed.length = 0;
  await remove(owner, { type: secrets });
  expect(await left()).toEqual([]);
  const count = (verb: string): number => performed.filter((operation) => operation.verb === verb).length;
  expect([count('get'), count('delete')]).toEqual([1, 2_000]);
});

test('pods end gracefully when their owner goes', async () => {
  const owner = await make('owner');
  await make('own', { type: serviceaccounts, owners: [by(owner)] });
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', ownerReferences: [by(owner)] },
    spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'app:1' }] },
  };
  await plane.client.create(pods, pod as unknown as New<KubeObject>, { signal: plane.signal });
  await remove(owner);
  expect((await plane.find(pods, 'p', 'default'))?.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
  expect(await plane.names(serviceaccounts, 'default')).toEqual([]);
});

test('whatever the order of events, exactly what has no living owner goes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.nat(11), { maxLength: 3 }), { minLength: 2, maxLength: 12 }),
      fc.nat(11),
      async (graph, seed) => {
        const world = await createTestPlane({ random: seededRandom(String(seed)) });
        const outer = plane;
        plane = world;
        try {
          world.start(createGarbageCollector(world.platform, world.served));
          const made: KubeObject[] = [];
          const ownersOf: number[][] = [];
          for (const [index, owners] of graph.entries()) {
            const earlier = [...new Set(owners.filter((owner) => owner < index))];
            ownersOf.push(earlier);
            made.push(
              await make(`o-${index}`, {
                owners: earlier.flatMap((owner) => made[owner] ?? []).map((each) => by(each)),
              }),
            );
          }
          const gone = new Set([seed % graph.length]);
          const [victim] = [...gone].map((index) => made[index]);
          if (victim) await remove(victim, { propagationPolicy: 'Background' });
          await world.clock.advance(10_000);
          for (const [index, owners] of ownersOf.entries())
            if (owners.length > 0 && owners.every((owner) => gone.has(owner))) gone.add(index);
          const expected = made.filter((_, index) => !gone.has(index)).map(({ metadata }) => metadata.name);
          expect(new Set(await left())).toEqual(new Set(expected));
        } finally {
          plane = outer;
          await world.close();
        }
      },
    ),
    { numRuns: 15 },
  );
});
