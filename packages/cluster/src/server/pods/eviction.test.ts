import { expect, test } from 'vitest';
import { poddisruptionbudgets, pods } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';

const labels = { app: 'x' };

async function withBudget(status: object | undefined, budgets = 1, spec: object = {}): Promise<TestServer> {
  const server = await createTestServer();
  await server.create(pods, pod('p', { nodeName: 'n1' }, { labels }));
  await server.merge(pods, 'p', {
    subresource: 'status',
    body: { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
  });
  for (let index = 0; index < budgets; index++) {
    const name = `b${index}`;
    await server.create(poddisruptionbudgets, {
      metadata: { name },
      spec: { minAvailable: 1, selector: { matchLabels: labels }, ...spec },
    });
    if (status !== undefined)
      await server.merge(poddisruptionbudgets, name, { subresource: 'status', body: { status } });
  }
  return server;
}

const evict = ({ create }: TestServer, more: object = {}, dryRun = false): ReturnType<TestServer['create']> =>
  create(
    pods,
    { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' }, ...more },
    { name: 'p', subresource: 'eviction', dryRun },
  );

const allowing = {
  observedGeneration: 1,
  disruptionsAllowed: 1,
  desiredHealthy: 1,
  currentHealthy: 2,
  expectedPods: 2,
};

test('clients that know the first version only may evict too', async () => {
  const server = await withBudget(undefined, 0);
  expect(await evict(server, { apiVersion: 'policy/v1beta1' })).toMatchObject({ code: 201 });
  const other = await withBudget(undefined, 0);
  expect(await refusalOf(evict(other, { apiVersion: 'policy/v2' }))).toMatchObject({ code: 400 });
});

test.each([{}, { name: 'q' }])('who names %j in the body does not mean this pod', async (metadata) => {
  const server = await withBudget(undefined, 0);
  const message = 'name in URL does not match name in Eviction object';
  expect(await refusalOf(evict(server, { metadata }))).toMatchObject({ code: 400, message });
  expect((await server.get(pods, 'p')).metadata.deletionTimestamp).toBeUndefined();
});

test('who wants to see a part of a deletion only deletes nothing', async () => {
  const server = await withBudget(undefined, 0);
  expect(await refusalOf(evict(server, { deleteOptions: { dryRun: ['Some'] } }))).toMatchObject({
    code: 422,
    message: 'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
  });
  expect((await server.get(pods, 'p')).metadata.deletionTimestamp).toBeUndefined();
});

test('without a budget the pod is deleted, and says why it went', async () => {
  const server = await withBudget(undefined, 0);
  expect(await evict(server, { deleteOptions: { gracePeriodSeconds: 7 } })).toMatchObject({
    code: 201,
    object: { kind: 'Status', status: 'Success' },
  });
  expect(await server.get(pods, 'p')).toMatchObject({
    metadata: { deletionGracePeriodSeconds: 7 },
    status: {
      conditions: [{ type: 'Ready' }, { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }],
    },
  });
});

test('with a budget one disruption is spent', async () => {
  const server = await withBudget(allowing);
  await evict(server);
  expect(await server.get(poddisruptionbudgets, 'b0')).toMatchObject({
    status: { disruptionsAllowed: 0, disruptedPods: { p: expect.any(String) } },
  });
  expect((await server.get(pods, 'p')).metadata.deletionTimestamp).toBeDefined();
});

test('a budget that allows none refuses with 429 and the reason', async () => {
  const server = await withBudget({ ...allowing, disruptionsAllowed: 0, currentHealthy: 1 });
  expect(await refusalOf(evict(server))).toMatchObject({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [
        { reason: 'DisruptionBudget', message: 'The disruption budget b0 needs 1 healthy pods and has 1 currently' },
      ],
    },
  });
  expect((await server.get(pods, 'p')).metadata.deletionTimestamp).toBeUndefined();
});

test('a budget that nobody has looked at yet asks to come back', async () => {
  const server = await withBudget(undefined);
  expect(await refusalOf(evict(server))).toMatchObject({ code: 429, details: { retryAfterSeconds: 10 } });
});

test('two budgets for one pod are a mistake', async () => {
  const server = await withBudget(allowing, 2);
  const refusal = await refusalOf(evict(server));
  expect(refusal.code).toBe(500);
  expect(refusal.message).toContain('more than one PodDisruptionBudget');
});

test('a pod that is not ready may go where the budget says so', async () => {
  const server = await withBudget({ ...allowing, disruptionsAllowed: 0 }, 1, {
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
  });
  await server.merge(pods, 'p', {
    subresource: 'status',
    body: { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
  });
  expect((await evict(server)).code).toBe(201);
});

test('two evictions at once cannot both use the last disruption', async () => {
  const server = await withBudget(allowing);
  await server.create(pods, pod('q', { nodeName: 'n1' }, { labels }));
  await server.merge(pods, 'q', { subresource: 'status', body: { status: { phase: 'Running' } } });
  const other = server.create(
    pods,
    { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'q' } },
    { name: 'q', subresource: 'eviction' },
  );
  const outcomes = await Promise.allSettled([evict(server), other]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a pod that serves nobody needs no budget', async () => {
  const server = await withBudget({ ...allowing, disruptionsAllowed: 0 });
  await server.merge(pods, 'p', { subresource: 'status', body: { status: { phase: 'Failed' } } });
  expect((await evict(server)).code).toBe(201);
});

test('a dry run spends and deletes nothing', async () => {
  const server = await withBudget(allowing);
  const { revision } = server.store;
  expect((await evict(server, {}, true)).code).toBe(201);
  expect((await evict(server, { deleteOptions: { dryRun: ['All'] } }, false)).code).toBe(201);
  expect(server.store.revision).toBe(revision);
  expect(((await server.get(pods, 'p')) as KubeObject).metadata.deletionTimestamp).toBeUndefined();
});
