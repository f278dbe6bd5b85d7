import { describe, expect, test } from 'vitest';
import { configmaps, namespaces } from '../api/generated/kinds.ts';
import type { Component, Platform } from '../runtime/component.ts';
import { createTestCluster } from './test-cluster.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

const settings = (name: string, namespace = 'shop') => ({
  apiVersion: 'v1' as const,
  kind: 'ConfigMap' as const,
  metadata: { name, namespace },
  data: { colour: 'green' },
});
const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' }, spec: {} } as const;

/** Notes what its informers hold at the moment they have synced. */
function witness(seen: string[]): (platform: Platform) => Component {
  return ({ informers }) => ({
    name: 'witness',
    async run({ signal }) {
      await informers.sync([configmaps], { signal });
      seen.push(...[...informers.of(configmaps).values()].map(({ metadata }) => metadata.name));
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  });
}

describe('manifests', () => {
  test('are there before any component runs, in an order that serves them', async () => {
    const seen: string[] = [];
    const cluster = await createTestCluster({
      nodes: 0,
      manifests: [settings('first'), shop],
      components: [witness(seen)],
    });
    await cluster.advance(1_000);
    expect(seen).toContain('first');
    expect(cluster.problems).toEqual([]);
    await cluster.close();
  });

  test('may be YAML', async () => {
    const cluster = await createTestCluster({
      nodes: 0,
      manifests: `{ apiVersion: v1, kind: Namespace, metadata: { name: shop } }\n---\n${JSON.stringify(settings('second'))}`,
    });
    expect((await cluster.client.get(configmaps, { namespace: 'shop', name: 'second' })).data).toEqual({
      colour: 'green',
    });
    await cluster.close();
  });

  test('that the API refuses end the start with its words', async () => {
    await expect(createTestCluster({ nodes: 0, manifests: [settings('third', 'nowhere')] })).rejects.toThrow(
      'namespaces "nowhere" not found',
    );
    await expect(
      createTestCluster({ manifests: '{ apiVersion: example.com/v1, kind: Widget, metadata: { name: w } }' }),
    ).rejects.toThrow('no matches for kind "Widget" in version "example.com/v1"');
  });
});

test('what is wrong with a text is a rejection', async () => {
  const cluster = await createTestCluster({ nodes: 0 });
  await expect(cluster.applyYaml('a: [1')).rejects.toThrow('test:');
  await expect(cluster.applyYaml('- 1')).rejects.toThrow('is no object; a manifest has apiVersion, kind and metadata');
  await cluster.close();
});

describe('the client', () => {
  test('turns the clock by itself, without a signal and without letting time pass', async () => {
    const cluster = await createTestCluster({ nodes: 0 });
    const beforeMs = cluster.clock.nowMs();
    const { client } = cluster;
    await client.create(namespaces, shop);
    const created = await client.create(configmaps, settings('fourth'));
    await client.update(configmaps, { ...created, data: { colour: 'blue' } });
    const body = { data: { size: 'small' } };
    await client.patch(configmaps, { namespace: 'shop', name: 'fourth', patchType: 'merge', body });
    const { items } = await client.list(configmaps, { labelSelector: '', namespace: 'shop' });
    expect(items.find(({ metadata }) => metadata.name === 'fourth')?.data).toEqual({ colour: 'blue', size: 'small' });
    await client.delete(configmaps, { namespace: 'shop', name: 'fourth' });
    await expect(client.get(configmaps, { namespace: 'shop', name: 'fourth' })).rejects.toThrow('not found');
    expect((await client.list(namespaces)).items.map(({ metadata }) => metadata.name)).toContain('shop');
    expect(cluster.clock.nowMs()).toBe(beforeMs);
    await cluster.close();
  });

  test('still gives up when a signal says so', async () => {
    const cluster = await createTestCluster({ nodes: 0 });
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(cluster.client.list(namespaces, { signal: aborted })).rejects.toThrow('enough');
    await cluster.close();
  });
});

test('time without nodes is nearly empty: nobody in the process waits for a sign that the server lives', async () => {
  const clock = createVirtualClock();
  let appointments = 0;
  const counted: VirtualClock = {
    ...clock,
    after(delayMs, work) {
      appointments++;
      return clock.after(delayMs, work);
    },
  };
  const cluster = await createTestCluster({ nodes: 0, clock: counted });
  await cluster.advance(60_000);
  appointments = 0;
  await cluster.advance(3_600_000);
  // Two a minute of the store, and three for each watch that begins anew.
  expect(appointments).toBeLessThan(500);
  await cluster.close();
});
