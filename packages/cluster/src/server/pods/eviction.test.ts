import { describe, expect, test } from 'vitest';
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
  // Clients match on the whole text, and upstream gives no reason with it.
  expect(await refusalOf(evict(server))).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    code: 500,
  });
});

describe('a pod that is not ready, by a budget with no word about those', () => {
  const unready = { body: { status: { conditions: [{ type: 'Ready', status: 'False' }] } } };
  test.each<[string, object, number, number]>([
    ['goes where just enough are healthy', { disruptionsAllowed: 0, currentHealthy: 1 }, 201, 0],
    ['spends nothing where more are', { disruptionsAllowed: 1 }, 201, 1],
    ['stays where too few are', { disruptionsAllowed: 0, currentHealthy: 0 }, 429, 0],
    ['stays where nobody has to be healthy', { disruptionsAllowed: 0, desiredHealthy: 0 }, 429, 0],
    ['goes before its budget was looked at again', { observedGeneration: 0, disruptionsAllowed: 0 }, 201, 0],
  ])('%s', async (_, status, code, disruptionsAllowed) => {
    const server = await withBudget({ ...allowing, ...status });
    await server.merge(pods, 'p', { subresource: 'status', ...unready });
    const answered = code === 201 ? await evict(server) : await refusalOf(evict(server));
    expect(answered.code).toBe(code);
    expect(await server.get(poddisruptionbudgets, 'b0')).toMatchObject({ status: { disruptionsAllowed } });
  });
});

test('who spends the last disruption says that there is none left', async () => {
  const conditions = [{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', message: '' }].map(
    (each) => ({ ...each, lastTransitionTime: '2026-01-01T00:00:00Z' }),
  );
  const server = await withBudget({ ...allowing, conditions });
  await evict(server);
  expect(await server.get(poddisruptionbudgets, 'b0')).toMatchObject({
    status: { conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '' }] },
  });
});

test('a pod that is another one than was meant is not told to go', async () => {
  const server = await withBudget(undefined, 0);
  const preconditions = { uid: 'other' };
  expect(await refusalOf(evict(server, { deleteOptions: { preconditions } }))).toMatchObject({ code: 409 });
  expect(await server.get(pods, 'p')).toMatchObject({ status: { conditions: [{ type: 'Ready' }] } });
});

test('the version that is asked for is the one from before the pod is told to go', async () => {
  const server = await withBudget(undefined, 0);
  const { resourceVersion } = (await server.get(pods, 'p')).metadata;
  expect(await evict(server, { deleteOptions: { preconditions: { resourceVersion } } })).toMatchObject({ code: 201 });
  expect((await server.get(pods, 'p')).metadata.deletionTimestamp).toBeDefined();
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
  const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await server.merge(pods, 'q', { subresource: 'status', body: { status: ready } });
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
