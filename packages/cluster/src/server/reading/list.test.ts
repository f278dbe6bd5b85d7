import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configmaps, events, eventsEvents, namespaces, pods } from '../../api/generated/kinds.ts';
import type { KubeList, KubeObject } from '../../api/meta.ts';
import type { ListOptions } from '../../api/operation.ts';
import { admin, configMap, createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';

const names = ({ items }: KubeList): readonly string[] => items.map(({ metadata }) => metadata.name);

async function withMaps(count: number): Promise<TestServer> {
  const server = await createTestServer();
  for (let index = 0; index < count; index++)
    await server.create(configmaps, configMap(`m${index}`, { labels: { even: String(index % 2 === 0) } }));
  return server;
}

describe('list', () => {
  test('shows a namespace or all, in the order of names', async () => {
    const { create, list, store } = await createTestServer();
    await create(configmaps, configMap('b'));
    await create(configmaps, configMap('a'));
    await create(configmaps, configMap('c'), { namespace: 'kube-system' });
    const all = await list(configmaps, {}, { namespace: null });
    expect(all).toMatchObject({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(store.revision) },
    });
    expect(names(all)).toEqual(['a', 'b', 'c']);
    expect(names(await list(configmaps))).toEqual(['a', 'b']);
  });

  test('never shows the objects of a namespace whose name goes on', async () => {
    const { create, list } = await createTestServer();
    await create(namespaces, { metadata: { name: 'a' } });
    await create(namespaces, { metadata: { name: 'ab' } });
    await create(configmaps, configMap('x'), { namespace: 'ab' });
    expect(names(await list(configmaps, {}, { namespace: 'a' }))).toEqual([]);
  });

  test('hands out stored objects by reference', async () => {
    const { create, list } = await createTestServer();
    const { object } = await create(configmaps, configMap('a'));
    expect((await list(configmaps)).items[0]).toBe(object);
  });
});

describe('selectors', () => {
  test.each<[string, object, readonly string[]]>([
    ['labels', { labelSelector: 'even=true' }, ['m0', 'm2']],
    ['labels that are not', { labelSelector: 'even!=true' }, ['m1', 'm3']],
    ['a name', { fieldSelector: 'metadata.name=m1' }, ['m1']],
    ['not a name', { fieldSelector: 'metadata.name!=m1' }, ['m0', 'm2', 'm3']],
    ['a name and labels', { fieldSelector: 'metadata.name=m1', labelSelector: 'even=true' }, []],
    ['a namespace', { fieldSelector: 'metadata.namespace=kube-system' }, []],
    ['a name that is not there', { fieldSelector: 'metadata.name=nope' }, []],
  ])('choose by %s', async (_, options, expected) => {
    const { list } = await withMaps(4);
    expect(names(await list(configmaps, options))).toEqual(expected);
  });

  test('choose pods by the fields that their kind declares', async () => {
    const { create, list } = await createTestServer();
    await create(pods, pod('a', { nodeName: 'n1' }));
    await create(pods, pod('b'));
    expect(names(await list(pods, { fieldSelector: 'spec.nodeName=n1' }, { namespace: null }))).toEqual(['a']);
    expect(names(await list(pods, { fieldSelector: 'spec.nodeName=' }))).toEqual(['b']);
  });

  test.each([
    ['a field that cannot be selected', { fieldSelector: 'data.k=v' }, '"data.k" is not a known field selector: only'],
    [
      'a name of the prototype',
      { fieldSelector: 'constructor=v' },
      '"constructor" is not a known field selector: only',
    ],
    ['labels that cannot be read', { labelSelector: 'a in (b' }, 'unable to parse requirement'],
  ])('refuse %s', async (_, options, message) => {
    const { list } = await createTestServer();
    const refusal = await refusalOf(list(configmaps, options));
    expect(refusal.code).toBe(400);
    expect(refusal.message).toContain(message);
  });
});

describe('pages', () => {
  const walk = async (
    server: TestServer,
    options: { readonly limit: number; readonly labelSelector?: string },
  ): Promise<readonly KubeList[]> => {
    const pages: KubeList[] = [];
    for (let token: string | undefined; ; ) {
      const page = await server.list(configmaps, { ...options, ...(token !== undefined && { continue: token }) });
      pages.push(page);
      token = page.metadata.continue;
      if (token === undefined) return pages;
    }
  };

  test('show one revision, whatever happens in between', async () => {
    const server = await withMaps(5);
    const first = await server.list(configmaps, { limit: 2 });
    expect(first.metadata).toMatchObject({ remainingItemCount: 3, continue: expect.any(String) });
    await server.delete(configmaps, 'm3');
    await server.create(configmaps, configMap('m2b'));
    const rest = await server.list(configmaps, { continue: first.metadata.continue ?? '' });
    expect(names(rest)).toEqual(['m2', 'm3', 'm4']);
    expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(rest.metadata.continue).toBeUndefined();
  });

  test('together are the whole list, for every size of page', async () => {
    const server = await withMaps(7);
    const whole = names(await server.list(configmaps));
    const odd = names(await server.list(configmaps, { labelSelector: 'even=false' }));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9 }), async (limit) => {
        const pages = await walk(server, { limit });
        expect(pages.flatMap(names)).toEqual(whole);
        const left = pages.map((_, page) => whole.length - limit * (page + 1));
        const stated = pages.map(({ metadata }) => metadata.remainingItemCount);
        expect(stated).toEqual(left.map((count) => (count > 0 ? count : undefined)));
        const chosen = await walk(server, { limit, labelSelector: 'even=false' });
        expect(chosen.flatMap(names)).toEqual(odd);
        for (const page of chosen.slice(0, -1)) expect(page.items).toHaveLength(limit);
      }),
    );
  });

  test('state what is left of their revision, also in the past and after it expired', async () => {
    const server = await withMaps(6);
    const then = String(server.store.revision);
    await server.delete(configmaps, 'm5');
    await server.delete(configmaps, 'm0');
    await server.create(configmaps, configMap('m9'));
    const past = await server.list(configmaps, { limit: 2, resourceVersion: then });
    expect([names(past), past.metadata.remainingItemCount]).toEqual([['m0', 'm1'], 4]);
    const second = await server.list(configmaps, { limit: 1, continue: past.metadata.continue ?? '' });
    expect([names(second), second.metadata.remainingItemCount]).toEqual([['m2'], 3]);
    await server.store.compact(server.store.revision);
    const refusal = await refusalOf(server.list(configmaps, { limit: 1, continue: second.metadata.continue ?? '' }));
    const anew = await server.list(configmaps, { limit: 1, continue: refusal.metadata.continue ?? '' });
    expect([names(anew), anew.metadata.remainingItemCount]).toEqual([['m3'], 2]);
  });

  test('do not guess what is left when there is a selector', async () => {
    const { list } = await withMaps(5);
    const { metadata } = await list(configmaps, { limit: 1, labelSelector: 'even=true' });
    expect(metadata.continue).toBeDefined();
    expect(metadata.remainingItemCount).toBeUndefined();
  });

  test('after compaction are refused with a token to go on without consistency', async () => {
    const { list, create, store } = await withMaps(4);
    const first = await list(configmaps, { limit: 2 });
    await create(configmaps, configMap('m2b'));
    await store.compact(store.revision);
    const refusal = await refusalOf(list(configmaps, { limit: 2, continue: first.metadata.continue ?? '' }));
    expect(refusal).toMatchObject({ code: 410, reason: 'Expired', metadata: { continue: expect.any(String) } });
    const rest = await list(configmaps, { continue: refusal.metadata.continue ?? '' });
    expect(names(rest)).toEqual(['m2', 'm2b', 'm3']);
  });

  test.each<[string, (token: string) => string, string]>([
    ['is no base64', () => '%%%', 'illegal base64 data'],
    ['is no JSON', () => Buffer.from('x').toString('base64url'), 'it is no JSON'],
    ['names revision 0', (token) => changed(token, { rv: 0 }), 'incorrect encoded start resourceVersion'],
    [
      'names another version of tokens',
      (token) => changed(token, { v: 'x' }),
      'server does not recognize this encoded version x',
    ],
    [
      'is of another resource',
      (token) => changed(token, { of: '/core/secrets/default/' }),
      'it is of another collection',
    ],
    [
      'climbs',
      (token) => changed(token, { of: '/core/configmaps/default/../../secrets/' }),
      'it is of another collection',
    ],
  ])('refuse a token that %s', async (_, change, why) => {
    const { list } = await withMaps(3);
    const { metadata } = await list(configmaps, { limit: 1 });
    const refusal = await refusalOf(list(configmaps, { continue: change(metadata.continue ?? '') }));
    expect(refusal).toMatchObject({ code: 400, message: `invalid continue token: continue key is not valid: ${why}` });
  });

  const changed = (token: string, change: object): string =>
    Buffer.from(
      JSON.stringify({ ...(JSON.parse(Buffer.from(token, 'base64url').toString()) as object), ...change }),
    ).toString('base64url');
});

describe('resource versions', () => {
  test('exact reads the past', async () => {
    const { list, store, create } = await withMaps(2);
    const then = String(store.revision);
    await create(configmaps, configMap('late'));
    const exact = await list(configmaps, { resourceVersion: then, resourceVersionMatch: 'Exact' });
    expect({ names: names(exact), version: exact.metadata.resourceVersion }).toEqual({
      names: ['m0', 'm1'],
      version: then,
    });
    expect(names(await list(configmaps, { resourceVersion: then, limit: 10 }))).toEqual(['m0', 'm1']);
  });

  test('not older than reads the newest', async () => {
    const { list, store, create } = await withMaps(1);
    const then = String(store.revision);
    await create(configmaps, configMap('late'));
    for (const options of [
      { resourceVersion: then },
      { resourceVersion: '0' },
      { resourceVersion: then, resourceVersionMatch: 'NotOlderThan', limit: 5 },
    ])
      expect(names(await list(configmaps, options))).toContain('late');
  });

  test('of the past that is compacted are expired', async () => {
    const { list, store, create } = await withMaps(1);
    const then = String(store.revision);
    await create(configmaps, configMap('late'));
    await store.compact(store.revision);
    const refusal = await refusalOf(list(configmaps, { resourceVersion: then, resourceVersionMatch: 'Exact' }));
    expect(refusal).toMatchObject({ code: 410, reason: 'Expired' });
  });

  test('of the future are waited for, and answered when they come', async () => {
    const { list, store, create, clock } = await createTestServer();
    const asked = list(configmaps, { resourceVersion: String(store.revision + 1) });
    await clock.advance(1_000);
    await create(configmaps, configMap('a'));
    expect(names(await asked)).toEqual(['a']);
  });

  test('of the future are refused after three seconds', async () => {
    const { list, store, clock } = await createTestServer();
    const future = store.revision + 10;
    const asked = refusalOf(list(configmaps, { resourceVersion: String(future) }));
    await clock.advance(3_000);
    expect(await asked).toMatchObject({
      code: 504,
      reason: 'Timeout',
      message: `Timeout: Too large resource version: ${future}, current: ${store.revision}`,
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
    });
  });

  test('a read that is given up stops waiting', async () => {
    const { server, store, clock } = await createTestServer();
    const given = new AbortController();
    const asked = server.perform(
      {
        verb: 'list',
        resource: configmaps,
        user: admin,
        options: { resourceVersion: String(store.revision + 1) },
      },
      { signal: given.signal },
    );
    const settled = asked.catch((error: unknown) => error);
    await clock.settle();
    given.abort(new Error('enough'));
    expect(await settled).toEqual(new Error('enough'));
  });

  test.each([
    [{ resourceVersion: 'abc' }, 400, 'invalid resource version: resourceVersion: Invalid value: "abc"'],
    [{ resourceVersion: '18446744073709551616' }, 400, 'invalid resource version'],
    [{ resourceVersionMatch: 'Exact' }, 422, 'resourceVersionMatch is forbidden unless resourceVersion is provided'],
    [{ resourceVersion: '0', resourceVersionMatch: 'Exact' }, 422, 'is forbidden for resourceVersion "0"'],
    [{ resourceVersion: '1', resourceVersionMatch: 'Nope' }, 422, 'Unsupported value: "Nope"'],
    [{ sendInitialEvents: true }, 422, 'sendInitialEvents is forbidden for list'],
    [{ limit: -1 }, 400, 'limit'],
  ])('refuses %j', async (options, code, message) => {
    const { list } = await createTestServer();
    const refusal = await refusalOf(list(configmaps, options as ListOptions));
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(message);
  });

  test('a token and a version exclude each other', async () => {
    const { list, store } = await withMaps(3);
    const { metadata } = await list(configmaps, { limit: 1 });
    const both = { continue: metadata.continue ?? '', resourceVersion: String(store.revision) };
    expect((await refusalOf(list(configmaps, both))).code).toBe(400);
  });
});

describe('events have two faces', () => {
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
    message: 'hello',
    count: 2,
  };
  test('what is created through one is read through the other', async () => {
    const { create, get, list } = await createTestServer();
    const { object } = await create(events, event);
    const other = await get(eventsEvents, 'e');
    expect(other).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { name: 'p' },
      note: 'hello',
      deprecatedCount: 2,
      metadata: { uid: (object as KubeObject).metadata.uid },
    });
    expect((await list(eventsEvents)).items[0]).toBe(other);
  });
  test('and what is created through the other is stored in the first form', async () => {
    const { create, get } = await createTestServer();
    await create(eventsEvents, {
      metadata: { name: 'e' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.com/me',
      reportingInstance: 'me',
      action: 'Doing',
      reason: 'Because',
      type: 'Normal',
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      note: 'hi',
    });
    expect(await get(events, 'e')).toMatchObject({ apiVersion: 'v1', message: 'hi', involvedObject: { name: 'p' } });
  });
});

test('a get of a version to come waits like a list', async () => {
  const { server, store, create, clock } = await createTestServer();
  await create(configmaps, configMap('a'));
  const asked = refusalOf(
    server.perform(
      {
        verb: 'get',
        resource: configmaps,
        namespace: 'default',
        name: 'a',
        user: admin,
        resourceVersion: String(store.revision + 1),
      },
      { signal: new AbortController().signal },
    ),
  );
  await clock.advance(3_000);
  expect((await asked).code).toBe(504);
});

test('a list of one name as of a version has no second page', async () => {
  const { store, create, list } = await createTestServer();
  for (const name of ['a', 'b']) await create(configmaps, configMap(name));
  const page = { limit: 1, resourceVersion: String(store.revision), resourceVersionMatch: 'Exact' } as const;
  const one = await list(configmaps, { ...page, fieldSelector: 'metadata.name=a' });
  expect([names(one), one.metadata?.continue]).toEqual([['a'], undefined]);
  expect((await list(configmaps, page)).metadata?.continue).toBeDefined();
});
