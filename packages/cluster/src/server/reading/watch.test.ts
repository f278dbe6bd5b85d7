import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configmaps, events, eventsEvents, pods } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { WatchEvent } from '../../api/operation.ts';
import { admin, configMap, createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';

const label = (app: string | null): { readonly body: unknown } => ({ body: { metadata: { labels: { app } } } });

describe('where a watch begins', () => {
  test('without a version: with everything that is there', async () => {
    const { create, watch, clock } = await createTestServer();
    await create(configmaps, configMap('a'));
    const seen = watch(configmaps);
    await clock.settle();
    await create(configmaps, configMap('b'));
    await clock.settle();
    expect(seen.lines()).toEqual(['ADDED a', 'ADDED b']);
    seen.stop();
  });

  test('from a version: with what came after it', async () => {
    const { create, watch, clock, store, merge, delete: remove } = await createTestServer();
    await create(configmaps, configMap('a'));
    const { revision } = store;
    await merge(configmaps, 'a', { body: { data: { k: 'v' } } });
    await remove(configmaps, 'a');
    const seen = watch(configmaps, { resourceVersion: String(revision) });
    await clock.settle();
    expect(seen.lines()).toEqual(['MODIFIED a', 'DELETED a']);
    const versions = seen.events.map(({ object }) => (object as KubeObject).metadata.resourceVersion);
    expect(versions).toEqual([String(revision + 1), String(revision + 2)]);
    seen.stop();
  });

  test('in one namespace: with nothing of the others', async () => {
    const { create, watch, clock } = await createTestServer();
    const seen = watch(configmaps);
    const all = watch(configmaps, {}, { namespace: null });
    await clock.settle();
    await create(configmaps, configMap('x'), { namespace: 'kube-system' });
    await clock.settle();
    expect([seen.lines(), all.lines()]).toEqual([[], ['ADDED x']]);
    seen.stop();
    all.stop();
  });

  test('from a version to come: with nothing older', async () => {
    const { create, watch, clock, store } = await createTestServer();
    const seen = watch(configmaps, { resourceVersion: String(store.revision + 1) });
    await clock.settle();
    await create(configmaps, configMap('a'));
    await create(configmaps, configMap('b'));
    await clock.settle();
    expect(seen.lines()).toEqual(['ADDED b']);
    seen.stop();
  });

  test('from a compacted version: with an ERROR event that says 410', async () => {
    const { create, watch, store } = await createTestServer();
    await create(configmaps, configMap('a'));
    await store.compact(store.revision);
    const seen = watch(configmaps, { resourceVersion: '1' });
    await seen.ended;
    expect(seen.lines()).toEqual(['ERROR 410 Expired']);
    const last = watch(configmaps, { resourceVersion: String(store.compactedRevision) });
    await create(configmaps, configMap('b'));
    expect(last.lines()).not.toContain('ERROR 410 Expired');
    last.stop();
  });

  test('hands out stored objects by reference', async () => {
    const { create, watch, clock } = await createTestServer();
    const seen = watch(configmaps);
    await clock.settle();
    const { object } = await create(configmaps, configMap('a'));
    await clock.settle();
    expect(seen.events[0]?.object).toBe(object);
    seen.stop();
  });
});

interface SlowWatch {
  /** `ADDED a`, `ERROR 410`, `end`. */
  next(): Promise<string>;
  end(): Promise<unknown>;
}

function slowWatch(server: TestServer['server']): SlowWatch {
  const { signal } = new AbortController();
  const user = { name: 'slow', groups: ['system:masters'] };
  const events = server.watch({ resource: configmaps, namespace: 'default', options: {}, user }, { signal });
  const iterator = events[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await iterator.next();
      if (done === true) return 'end';
      return value.type === 'ERROR' ? `ERROR ${value.object.code}` : `${value.type} ${value.object.metadata.name}`;
    },
    end: async () => iterator.return?.(),
  };
}

describe('initial events', () => {
  const ask = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };
  test('end with a bookmark that says so', async () => {
    const { create, watch, clock, store } = await createTestServer();
    await create(configmaps, configMap('a'));
    const seen = watch(configmaps, ask);
    await clock.settle();
    expect(seen.lines()).toEqual(['ADDED a', `BOOKMARK ${store.revision}`]);

    expect(seen.events[1]?.object).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    seen.stop();
  });

  test('can be left out', async () => {
    const { create, watch, clock } = await createTestServer();
    await create(configmaps, configMap('a'));
    const seen = watch(configmaps, { ...ask, sendInitialEvents: false });
    await clock.settle();
    await create(configmaps, configMap('b'));
    await clock.settle();
    expect(seen.lines()).toEqual(['ADDED b']);
    seen.stop();
  });

  test('are those of the beginning, however slowly they are read', async () => {
    const { create, delete: remove, server, clock } = await createTestServer();
    const names = Array.from({ length: 250 }, (_, index) => `m${String(index).padStart(3, '0')}`);
    for (const name of names) await create(configmaps, configMap(name));
    const reader = slowWatch(server);
    const first = await reader.next();
    await remove(configmaps, 'm200');
    await create(configmaps, configMap('m999'));
    const seen = [first];
    while (seen.length < 252) seen.push(await reader.next());
    expect(seen.slice(0, 250)).toEqual(names.map((name) => `ADDED ${name}`));
    expect(seen.slice(250)).toEqual(['DELETED m200', 'ADDED m999']);
    await reader.end();
    await clock.settle();
  });

  test('that are forgotten before they are read end the watch with 410', async () => {
    const { create, server, store } = await createTestServer();
    for (let index = 0; index < 250; index++) await create(configmaps, configMap(`m${index}`));
    const reader = slowWatch(server);
    await reader.next();
    await create(configmaps, configMap('late'));
    store.forget(store.revision);
    let last = '';
    for (let next = await reader.next(); next !== 'end'; next = await reader.next()) last = next;
    expect(last).toBe('ERROR 410');
  });

  test('are at least as new as asked, or refused in time', async () => {
    const { watch, clock, store } = await createTestServer();
    const seen = watch(configmaps, { ...ask, resourceVersion: String(store.revision + 1) });
    await clock.advance(3_000);
    await seen.ended;
    expect(seen.lines()).toEqual(['ERROR 504 Timeout']);
  });
});

describe('selectors', () => {
  test('an object enters as ADDED and leaves as DELETED with the labels it had', async () => {
    const { create, merge, watch, clock, store } = await createTestServer();
    const seen = watch(configmaps, { labelSelector: 'app=x' });
    await clock.settle();
    await create(configmaps, configMap('a', { labels: { app: 'y' } }));
    await merge(configmaps, 'a', label('x'));
    await merge(configmaps, 'a', { body: { data: { k: 'v' } } });
    await merge(configmaps, 'a', label('z'));
    await merge(configmaps, 'a', { body: { data: { k: 'w' } } });
    await clock.settle();
    expect(seen.lines()).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    const left = seen.events[2]?.object as KubeObject;
    expect(left.metadata.labels).toEqual({ app: 'x' });
    expect(left.metadata.resourceVersion).toBe(String(store.revision - 1));
    seen.stop();
  });

  test('what was never inside is not deleted either', async () => {
    const { create, watch, clock, delete: remove } = await createTestServer();
    const seen = watch(configmaps, { labelSelector: 'app=x' });
    await clock.settle();
    await create(configmaps, configMap('a'));
    await remove(configmaps, 'a');
    await clock.settle();
    expect(seen.lines()).toEqual([]);
    seen.stop();
  });

  test('work on fields', async () => {
    const { create, watch, clock } = await createTestServer();
    const seen = watch(pods, { fieldSelector: 'spec.nodeName=n1' });
    await clock.settle();
    await create(pods, pod('a'));
    await create(
      pods,
      { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target: { name: 'n1' } },
      { name: 'a', subresource: 'binding' },
    );
    await clock.settle();
    expect(seen.lines()).toEqual(['ADDED a']);
    seen.stop();
  });

  test('on one name hear of no other, not even of one that begins like it', async () => {
    const { create, watch, clock } = await createTestServer();
    const seen = watch(configmaps, { fieldSelector: 'metadata.name=a' });
    await clock.settle();
    for (const name of ['ab', 'a', 'b']) await create(configmaps, configMap(name));
    await clock.settle();
    expect(seen.lines()).toEqual(['ADDED a']);
    seen.stop();
  });

  test('fold(list, watch) is the later list, whatever happens', async () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      does: fc.constantFrom('create', 'label', 'unlabel', 'delete'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.array(step, { maxLength: 20 }), async (before, after) => {
        const server = await createTestServer();
        for (const each of before) await run(server, each);
        const selected = { labelSelector: 'app=x' };
        const first = await server.list(configmaps, selected);
        const seen = server.watch(configmaps, { ...selected, resourceVersion: first.metadata.resourceVersion ?? '' });
        for (const each of after) await run(server, each);
        await server.clock.settle();
        seen.stop();
        expect(fold(first.items, seen.events)).toEqual((await server.list(configmaps, selected)).items);
      }),
      { numRuns: 40 },
    );
  });
});

async function run(
  server: TestServer,
  { name, does }: { readonly name: string; readonly does: string },
): Promise<void> {
  const { create, merge, delete: remove } = server;
  const work = {
    create: () => create(configmaps, configMap(name, { labels: { app: 'x' } })),
    label: () => merge(configmaps, name, label('x')),
    unlabel: () => merge(configmaps, name, label(null)),
    delete: () => remove(configmaps, name),
  }[does];
  await work?.().catch(() => undefined);
}

function fold(items: readonly KubeObject[], seen: readonly WatchEvent[]): readonly KubeObject[] {
  const objects = new Map(items.map((item) => [item.metadata.name, item]));
  for (const { type, object } of seen) {
    if (type === 'ERROR') throw new Error('the watch failed');
    if (type === 'DELETED') objects.delete(object.metadata.name);
    else objects.set(object.metadata.name, object);
  }
  return [...objects.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

describe('time', () => {
  test('a quiet watch is told about once a minute how far it is', async () => {
    const { watch, clock, create, store } = await createTestServer();
    const seen = watch(configmaps, { allowWatchBookmarks: true });
    await clock.settle();
    const begun = `BOOKMARK ${store.revision}`;
    await clock.advance(59_999);
    expect(seen.lines()).toEqual([begun]);
    await create(pods, pod('p'));
    await clock.advance(1);
    const far = `BOOKMARK ${store.revision}`;
    expect(seen.lines()).toEqual([begun, far]);
    // A watch that stays silent would be taken for dead.
    await clock.advance(120_000);
    expect(seen.lines()).toEqual([begun, far, far, far]);
    seen.stop();
  });

  test('who needs no sign of life is told how far it is just before the end', async () => {
    const { watch, clock, create, store } = await createTestServer();
    const resourceVersion = String(store.revision);
    const ask = { allowWatchBookmarks: true, onlyLastBookmark: true, timeoutMs: 600_000, resourceVersion };
    const seen = watch(configmaps, ask);
    await clock.settle();
    await create(pods, pod('p'));
    await clock.advance(597_999);
    expect(seen.lines()).toEqual([]);
    await clock.advance(1);
    expect(seen.lines()).toEqual([`BOOKMARK ${store.revision}`]);
    await clock.advance(2_000);
    await seen.ended;
  });

  test('nobody gets bookmarks who did not ask', async () => {
    const { watch, clock, create } = await createTestServer();
    const seen = watch(configmaps);
    await clock.settle();
    await create(pods, pod('p'));
    await clock.advance(120_000);
    expect(seen.lines()).toEqual([]);
    seen.stop();
  });

  test('a watch that has nothing new to say ends without a bookmark', async () => {
    const { watch, clock, store } = await createTestServer();
    const resourceVersion = String(store.revision);
    const seen = watch(configmaps, { allowWatchBookmarks: true, timeoutMs: 10_000, resourceVersion });
    await clock.settle();
    await clock.advance(10_000);
    await seen.ended;
    expect(seen.lines()).toEqual([]);
  });

  test('a watch ends after its time, with a bookmark just before', async () => {
    const { watch, clock, create, store } = await createTestServer();
    const seen = watch(configmaps, { allowWatchBookmarks: true, timeoutMs: 10_000 });
    await clock.settle();
    await create(pods, pod('p'));
    await clock.advance(8_000);
    expect(seen.lines().slice(1)).toEqual([`BOOKMARK ${store.revision}`]);
    await clock.advance(2_000);
    await seen.ended;
  });

  test('without a time it ends by itself after half an hour to an hour', async () => {
    const { watch, clock } = await createTestServer();
    const seen = watch(configmaps);
    let over = false;
    void seen.ended.then(() => {
      over = true;
    });
    await clock.advance(30 * 60_000 - 1);
    expect(over).toBe(false);
    await clock.advance(30 * 60_000);
    expect(over).toBe(true);
  });

  test('a watch that nobody reads any more leaves no timer behind', async () => {
    const { server, clock } = await createTestServer();
    let pending = 0;
    const counted = {
      ...clock,
      after(delayMs: number, work: () => void) {
        pending++;
        const cancel = clock.after(delayMs, () => {
          pending--;
          work();
        });
        return () => {
          pending--;
          cancel();
        };
      },
    };
    const other = await createTestServer({ clock: counted });
    void server;
    const seen = other.watch(configmaps, { allowWatchBookmarks: true });
    await clock.settle();
    await other.clock.settle();
    expect(pending).toBeGreaterThan(0);
    seen.stop();
    await seen.ended;
    expect(pending).toBe(0);
  });
});

test('a reader that falls behind is told to list again', async () => {
  const { server, create, clock } = await createTestServer({ watcherBufferMax: 5 });
  const stop = new AbortController();
  const operation = { resource: configmaps, namespace: 'default', user: admin, options: {} };
  const reader = server.watch(operation, { signal: stop.signal })[Symbol.asyncIterator]();
  const first = reader.next();
  await clock.settle();
  for (let index = 0; index < 10; index++) await create(configmaps, configMap(`m${index}`));
  const seen: string[] = [(await first).value?.type];
  for (let next = await reader.next(); next.done !== true; next = await reader.next()) seen.push(next.value.type);
  expect(seen).toEqual(['ADDED', 'ERROR']);
});

test('both faces of events are watched', async () => {
  const { create, watch, clock } = await createTestServer();
  const old = watch(events);
  const young = watch(eventsEvents);
  await clock.settle();
  await create(events, {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', namespace: 'default' },
    message: 'm',
  });
  await clock.settle();
  expect(old.events[0]).toMatchObject({ type: 'ADDED', object: { message: 'm' } });
  expect(young.events[0]).toMatchObject({ type: 'ADDED', object: { apiVersion: 'events.k8s.io/v1', note: 'm' } });
  old.stop();
  young.stop();
});

describe('refusals come before the first event', () => {
  test.each([
    [{ resourceVersion: 'abc' }, 422, 'Invalid value: "abc"'],
    [{ labelSelector: 'a in (' }, 400, 'unable to parse requirement'],
    [{ sendInitialEvents: true }, 422, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
    [{ resourceVersionMatch: 'NotOlderThan' }, 422, 'is forbidden for watch unless sendInitialEvents is provided'],
  ])('%j', async (options, code, message) => {
    const { watch } = await createTestServer();
    const refusal = await refusalOf(watch(configmaps, options as object).ended);
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(message);
  });

  test('of a resource that is not served', async () => {
    const { watch } = await createTestServer();
    const unknown = { group: 'example.com', version: 'v1', resource: 'things' };
    expect((await refusalOf(watch(unknown).ended)).code).toBe(404);
  });

  test('of somebody who did not say who they are', async () => {
    const { watch } = await createTestServer();
    const user = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
    expect((await refusalOf(watch(configmaps, {}, { user }).ended)).code).toBe(403);
  });
});
