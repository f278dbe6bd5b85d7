import { afterEach, beforeEach, expect, test } from 'vitest';
import { configmaps } from '../api/generated/kinds.ts';
import type { KubeObject, New } from '../api/meta.ts';
import { failure, StatusError } from '../api/status.ts';
import { seededRandom } from '../base/random.ts';
import { createTestPlane, type TestPlane } from '../testing/plane.ts';
import { createClient } from './create-client.ts';
import { createInformers } from './informers.ts';

let plane: TestPlane;
let isServed: boolean;
let watches: AbortController[];

beforeEach(async () => {
  isServed = true;
  watches = [];
  plane = await createTestPlane({
    between: (transport) => ({
      async perform(operation, waiting) {
        if (!isServed && operation.verb === 'list') throw notServed();
        return transport.perform(operation, waiting);
      },
      watch(operation, { signal }) {
        if (!isServed) throw notServed();
        const cut = new AbortController();
        watches.push(cut);
        return transport.watch(operation, { signal: AbortSignal.any([signal, cut.signal]) });
      },
    }),
  });
  await plane.platform.informers.sync([configmaps], { signal: plane.signal });
});
afterEach(() => plane.close());

const notServed = (): StatusError => new StatusError(failure(404, 'NotFound', 'no such resource'));

const make = (name: string): Promise<KubeObject> =>
  plane.client.create(
    configmaps,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } } as New<KubeObject>,
    { signal: plane.signal },
  );

test('a resource that is not served any more is reported once, keeps its cache, and is followed again when asked', async () => {
  const { informers } = plane.platform;
  await make('before');
  isServed = false;
  for (const watch of watches) watch.abort();
  await plane.clock.advance(600_000);
  expect(plane.problems.filter(({ message }) => message === 'cannot follow configmaps')).toHaveLength(1);
  expect(informers.of(configmaps).size).toBe(1);
  isServed = true;
  await make('after');
  void informers.sync([configmaps], { signal: plane.signal });
  await plane.clock.settle();
  expect(informers.of(configmaps).size).toBe(2);
});

test('between the pages of a long list others get their turn', async () => {
  await Promise.all(Array.from({ length: 1_100 }, (_, index) => make(`m${index}`)));
  const order: string[] = [];
  const informers = createInformers({
    client: createClient(
      {
        ...plane.server,
        async perform(operation, waiting) {
          order.push('page');
          return plane.server.perform(operation, waiting);
        },
      },
      plane.client.user,
    ),
    clock: plane.clock,
    random: seededRandom('informers'),
    report: () => undefined,
  });
  const synced = informers.sync([configmaps], { signal: plane.signal });
  void plane.clock.turn().then(() => order.push('other'));
  await plane.clock.settle();
  await synced;
  expect(order).toEqual(['page', 'other', 'page', 'page']);
  informers.close();
});

test('who needs some objects of a resource alone follows no others', async () => {
  await make('mine');
  const { client, clock, signal } = plane;
  const informers = createInformers({
    client,
    clock,
    random: seededRandom('informers'),
    report: () => undefined,
    only: ({ resource }) =>
      resource === 'configmaps' ? { namespaces: ['default'], fieldSelector: 'metadata.name=mine' } : undefined,
  });
  await informers.sync([configmaps], { signal });
  await make('theirs');
  await clock.settle();
  expect([...informers.of(configmaps).values()].map(({ metadata }) => metadata.name)).toEqual(['mine']);
  await client.delete(configmaps, { namespace: 'default', name: 'mine', signal });
  await clock.settle();
  expect(informers.of(configmaps).size).toBe(0);
  informers.close();
});

test.each([
  ['all objects, is content with the last bookmark', undefined, true],
  ['objects by their fields, wants all', { namespaces: ['default'], fieldSelector: 'metadata.name=mine' }, false],
])('who follows %s', async (_, only, expected) => {
  const asked: unknown[] = [];
  const { clock, server, client } = plane;
  const watched = {
    ...server,
    watch: (...given: Parameters<typeof server.watch>) => {
      asked.push(given[0].options.onlyLastBookmark);
      return server.watch(...given);
    },
  };
  const informers = createInformers({
    client: createClient(watched, client.user),
    clock,
    random: seededRandom('informers'),
    report: () => undefined,
    only: () => only,
  });
  await informers.sync([configmaps], { signal: plane.signal });
  await clock.settle();
  expect(asked).toEqual([expected]);
  informers.close();
});

test('a cache keeps what it is told to keep of lists and of changes', async () => {
  await make('before');
  const informers = createInformers({
    client: createClient(plane.server, plane.client.user),
    clock: plane.clock,
    random: seededRandom('informers'),
    report: () => undefined,
    trim: (type) =>
      type === configmaps
        ? ({ metadata: { labels: _labels, ...metadata }, ...rest }) => ({ ...rest, metadata })
        : undefined,
  });
  await informers.sync([configmaps], { signal: plane.signal });
  const body = { metadata: { labels: { colour: 'red' } } };
  await plane.client.patch(configmaps, {
    namespace: 'default',
    name: 'before',
    patchType: 'merge',
    body,
    signal: plane.signal,
  });
  await plane.clock.settle();
  const version = (await plane.client.get(configmaps, { namespace: 'default', name: 'before', signal: plane.signal }))
    .metadata;
  const kept = informers.of(configmaps).get('default/before')?.metadata;
  expect(kept?.resourceVersion).toBe(version.resourceVersion);
  expect([kept?.labels, version.labels]).toEqual([undefined, { colour: 'red' }]);
  informers.close();
});
