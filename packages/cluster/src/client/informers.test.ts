import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configmaps, namespaces } from '../api/generated/kinds.ts';
import type { KubeObject, New } from '../api/meta.ts';
import { keyOf } from '../api/meta.ts';
import { expired, StatusError } from '../api/status.ts';
import { seededRandom } from '../base/random.ts';
import { createTestPlane, type TestPlane } from '../testing/plane.ts';
import { createClient } from './create-client.ts';
import { createInformers, type Informers } from './informers.ts';
import type { Transport } from './transport.ts';

let plane: TestPlane;
let informers: Informers;
/** `list a`, `watch a`: what was asked of the server. */
let asked: string[];
/** Watches under way, by namespace. */
let watches: Map<string, AbortController>;
let forgetful: string | undefined;

const spied = (transport: Transport): Transport => ({
  perform(operation, waiting) {
    if (operation.verb === 'list' && operation.resource.resource !== 'namespaces')
      asked.push(`list ${operation.namespace ?? '*'}`);
    return transport.perform(operation, waiting);
  },
  watch(operation, { signal }) {
    const place = operation.namespace ?? '*';
    if (operation.resource.resource !== 'namespaces') asked.push(`watch ${place}`);
    if (forgetful === place) {
      forgetful = undefined;
      throw new StatusError(expired('too old'));
    }
    const cut = new AbortController();
    watches.set(place, cut);
    return transport.watch(operation, { signal: AbortSignal.any([signal, cut.signal]) });
  },
});

const follow = (followed?: readonly string[]): Informers => {
  informers = createInformers({
    client: createClient(spied(plane.server), plane.client.user),
    clock: plane.clock,
    random: seededRandom('informers'),
    report: () => undefined,
    ...(followed !== undefined && { namespaces: followed }),
  });
  return informers;
};

const make = (namespace: string, name: string): Promise<KubeObject> =>
  plane.client.create(
    configmaps,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } } as New<KubeObject>,
    { signal: plane.signal },
  );
const cached = (): readonly string[] => [...informers.of(configmaps).values()].map(keyOf).sort();
const settles = async (work: Promise<void>): Promise<boolean> => {
  let isDone = false;
  const watched = work.then(
    () => {
      isDone = true;
    },
    () => undefined,
  );
  await plane.clock.settle();
  void watched;
  return isDone;
};

beforeEach(async () => {
  asked = [];
  watches = new Map();
  forgetful = undefined;
  plane = await createTestPlane();
  for (const name of ['a', 'b', 'c'])
    await plane.client.create(
      namespaces,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as New<KubeObject>,
      { signal: plane.signal },
    );
  await make('a', 'first');
  await make('b', 'first');
  await make('c', 'first');
});
afterEach(async () => {
  informers.close();
  await plane.close();
});

describe('limited to some namespaces', () => {
  beforeEach(() => follow(['a', 'b', 'a']).sync([configmaps, namespaces], { signal: plane.signal }));

  test('each is listed and watched once, and all feed one cache', async () => {
    await plane.clock.settle();
    expect([...asked].sort()).toEqual(['list a', 'list b', 'watch a', 'watch b']);
    expect(cached()).toEqual(['a/first', 'b/first']);
    await make('a', 'second');
    await make('c', 'second');
    await plane.clock.settle();
    expect(cached()).toEqual(['a/first', 'a/second', 'b/first']);
  });

  test('what belongs to no namespace is followed as a whole', () => {
    expect(informers.of(namespaces).get('c')?.metadata.name).toBe('c');
  });

  test('a new list of one namespace leaves the others’ objects alone', async () => {
    await plane.clock.settle();
    await plane.client.delete(configmaps, { namespace: 'a', name: 'first', signal: plane.signal });
    forgetful = 'a';
    const told: string[] = [];
    informers.listen(configmaps, ({ type, object }) => told.push(`${type} ${keyOf(object)}`));
    told.length = 0;
    watches.get('a')?.abort();
    await make('a', 'second');
    await plane.clock.advance(60_000);
    expect(cached()).toEqual(['a/second', 'b/first']);
    expect(told.filter((line) => line.includes(' b/'))).toEqual([]);
    expect(asked.filter((line) => line === 'list b')).toHaveLength(1);
  });

  test('a write is reached when its own namespace shows it, however far the others are', async () => {
    await plane.clock.settle();
    watches.get('b')?.abort();
    const { metadata } = await make('a', 'second');
    const { signal } = plane;
    expect(await settles(informers.reach(configmaps, metadata.resourceVersion, { signal, namespace: 'a' }))).toBe(true);
    expect(informers.of(configmaps).get('a/second')).toBeDefined();
  });

  test('a write of another namespace does not stand in for it', async () => {
    await plane.clock.settle();
    const { metadata } = await make('a', 'second');
    const later = String(Number(metadata.resourceVersion) + 1);
    const waiting = informers.reach(configmaps, later, { signal: plane.signal, namespace: 'a' });
    await make('b', 'second');
    expect(await settles(waiting)).toBe(false);
    await make('a', 'third');
    expect(await settles(waiting)).toBe(true);
  });

  test('without a namespace all of them have to come that far', async () => {
    await plane.clock.settle();
    const { metadata } = await make('a', 'second');
    const waiting = informers.reach(configmaps, metadata.resourceVersion, { signal: plane.signal });
    expect(await settles(waiting)).toBe(false);
    await make('b', 'second');
    expect(await settles(waiting)).toBe(true);
  });

  test('a write in a namespace that nobody follows is nothing to wait for', async () => {
    const { metadata } = await make('c', 'second');
    const waiting = informers.reach(configmaps, metadata.resourceVersion, { signal: plane.signal, namespace: 'c' });
    expect(await settles(waiting)).toBe(true);
  });
});

describe('without a limit', () => {
  test('one list and one watch show all namespaces', async () => {
    await follow().sync([configmaps], { signal: plane.signal });
    await plane.clock.settle();
    expect(asked).toEqual(['list *', 'watch *']);
    expect(cached()).toEqual(['a/first', 'b/first', 'c/first']);
    const { metadata } = await make('c', 'second');
    const waiting = informers.reach(configmaps, metadata.resourceVersion, { signal: plane.signal, namespace: 'c' });
    expect(await settles(waiting)).toBe(true);
  });
});

test('caches are synced only when every namespace has been listed', async () => {
  let isOpen = false;
  const slow: Transport = {
    perform: (operation, waiting) =>
      operation.verb === 'list' && operation.namespace === 'b' && !isOpen
        ? Promise.reject(new Error('not yet'))
        : plane.server.perform(operation, waiting),
    watch: (operation, waiting) => plane.server.watch(operation, waiting),
  };
  informers = createInformers({
    client: createClient(slow, plane.client.user),
    clock: plane.clock,
    random: seededRandom('informers'),
    report: () => undefined,
    namespaces: ['a', 'b'],
  });
  const syncing = informers.sync([configmaps], { signal: plane.signal });
  expect(await settles(syncing)).toBe(false);
  isOpen = true;
  await plane.clock.advance(60_000);
  expect(await settles(syncing)).toBe(true);
  expect(cached()).toEqual(['a/first', 'b/first']);
});
