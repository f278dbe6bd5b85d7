/** What the writes of a DaemonSet come to when the API refuses some of them, or knows more than the caches do. */
import { describe, expect, test } from 'vitest';
import { daemonsets, pods, resourcequotas } from '../../api/generated/kinds.ts';
import { isSameResource } from '../../api/gvk.ts';
import type { Operation } from '../../api/operation.ts';
import { failure, StatusError } from '../../api/status.ts';
import type { Transport } from '../../client/transport.ts';
import { createTestCluster, type TestCluster } from '../../testing/test-cluster.ts';

const at = { namespace: 'default', name: 'ds' };
const labels = { app: 'ds' };

async function create(
  { client, clock }: TestCluster,
  nodeSelector: Readonly<Record<string, string>> = {},
): Promise<void> {
  const template = { metadata: { labels }, spec: { nodeSelector, containers: [{ name: 'app', image: 'app:1' }] } };
  const spec = { selector: { matchLabels: labels }, template };
  await client.create(daemonsets, { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: at, spec });
  await clock.settle();
}

const isPodCreate = ({ verb, resource, ...rest }: Operation): boolean =>
  verb === 'create' && isSameResource(resource, pods) && !('subresource' in rest && rest.subresource !== undefined);

function between(refuse: (operation: Operation) => void): (transport: Transport) => Transport {
  return (transport) => ({
    async perform(operation, waiting) {
      refuse(operation);
      return transport.perform(operation, waiting);
    },
    watch: (operation, waiting) => transport.watch(operation, waiting),
  });
}

test('a quota of 10 pods on 100 nodes costs no more attempts than a slow start, and none is forgotten', async () => {
  let attempts = 0;
  const cluster = await createTestCluster({
    nodes: 100,
    between: between((operation) => {
      if (isPodCreate(operation)) attempts++;
    }),
  });
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: at, spec: { hard: { pods: '10' } } } as const;
  await cluster.client.create(resourcequotas, quota);
  await cluster.advance(2_000);
  await create(cluster);
  // 1, 2, 4 and 8; then one more, because its own status has woken the set.
  expect(attempts).toBeLessThanOrEqual(16);
  await cluster.advance(5_000);
  const { status } = await cluster.client.get(daemonsets, at);
  expect(status).toMatchObject({
    desiredNumberScheduled: 100,
    currentNumberScheduled: 10,
    updatedNumberScheduled: 10,
  });
  const body = { spec: { hard: { pods: '200' } } };
  await cluster.client.patch(resourcequotas, { ...at, patchType: 'merge', body });
  await cluster.advance(120_000);
  expect((await cluster.client.get(daemonsets, at)).status).toMatchObject({ numberReady: 100 });
  await cluster.close();
});

test('the second burst of pods begins as fast as the first one ended', async () => {
  const rounds: number[] = [];
  let underWay = 0;
  const cluster = await createTestCluster({
    nodes: 300,
    between: (transport) => ({
      async perform(operation, waiting) {
        if (!isPodCreate(operation)) return transport.perform(operation, waiting);
        rounds.push((underWay === 0 ? 0 : (rounds.pop() ?? 0)) + 1);
        underWay++;
        return transport.perform(operation, waiting).finally(() => underWay--);
      },
      watch: (operation, waiting) => transport.watch(operation, waiting),
    }),
  });
  await create(cluster);
  await cluster.advance(5_000);
  // Its revision is created first, alone.
  expect(rounds).toEqual([2, 4, 8, 16, 32, 64, 64, 60, 50]);
  await cluster.close();
});

const refusal = (text: string): StatusError => new StatusError(failure(500, 'InternalError', text));

describe('of what the API refuses', () => {
  test.each([
    ['a pod', true, false, 'no pod today'],
    ['a status', false, true, 'no status today'],
    ['both, the pod', true, true, 'no pod today'],
  ])('%s is told', async (_, refusesPods, refusesStatus, expected) => {
    let isRefusing = true;
    const cluster = await createTestCluster({
      nodes: 1,
      between: between((operation) => {
        if (!isRefusing) return;
        if (refusesPods && isPodCreate(operation)) throw refusal('no pod today');
        const isOwn = isSameResource(operation.resource, daemonsets);
        if (refusesStatus && isOwn && operation.verb === 'update') throw refusal('no status today');
      }),
    });
    await cluster.advance(2_000);
    await create(cluster);
    const told = cluster.problems.filter(({ component }) => component === 'daemonset');
    expect(told.map(({ error }) => String(error))).not.toEqual([]);
    for (const { error } of told) expect(String(error)).toContain(expected);
    // What is not refused is written whatever is.
    const { status } = await cluster.client.get(daemonsets, at);
    expect(status.desiredNumberScheduled).toBe(refusesStatus ? 0 : 1);
    isRefusing = false;
    await cluster.advance(60_000);
    expect((await cluster.client.get(daemonsets, at)).status).toMatchObject({ numberReady: 1, observedGeneration: 1 });
    await cluster.close();
  });
});

test('a set that is gone and still stands in the cache takes nothing', async () => {
  let letThrough: () => void = () => undefined;
  let gate: Promise<void> | undefined;
  const cluster = await createTestCluster({
    nodes: 1,
    between: (transport) => ({
      perform: (operation, waiting) => transport.perform(operation, waiting),
      async *watch(operation, waiting) {
        for await (const event of transport.watch(operation, waiting)) {
          if (isSameResource(operation.resource, daemonsets)) await gate;
          yield event;
        }
      },
    }),
  });
  await cluster.advance(2_000);
  await create(cluster, { place: 'nowhere' });
  gate = new Promise((resolve) => {
    letThrough = resolve;
  });
  await cluster.client.delete(daemonsets, at);
  const metadata = { namespace: 'default', name: 'orphan', labels };
  const spec = { containers: [{ name: 'app', image: 'app:1' }] };
  await cluster.client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  await cluster.advance(2_000);
  const orphan = { namespace: 'default', name: 'orphan' };
  expect((await cluster.client.get(pods, orphan)).metadata.ownerReferences).toBeUndefined();
  letThrough();
  gate = undefined;
  await cluster.advance(10_000);
  expect((await cluster.client.get(pods, orphan)).metadata.deletionTimestamp).toBeUndefined();
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});
