import { expect, test } from 'vitest';
import { pods } from '../../../api/generated/kinds.ts';
import { createTestServer, pod, type TestServer } from '../../../testing/api-server.ts';

async function told(status: object): Promise<TestServer> {
  const server = await createTestServer();
  await server.create(pods, pod('p', { nodeName: 'n1' }));
  await server.merge(pods, 'p', { subresource: 'status', body: { status } });
  return server;
}

async function versions({ get }: TestServer): Promise<readonly unknown[]> {
  const { status } = (await get(pods, 'p')) as { readonly status?: { [field: string]: unknown } };
  const conditions = (status?.['conditions'] ?? []) as readonly { type: string; observedGeneration?: number }[];
  return [status?.['observedGeneration'], ...conditions.map((each) => `${each.type} ${each.observedGeneration}`)];
}

const seen = {
  observedGeneration: 3,
  conditions: [
    { type: 'Ready', status: 'True', observedGeneration: 3 },
    { type: 'a.example.com/x', status: 'True', observedGeneration: 1 },
    { type: 'a.example.com/x', status: 'False', observedGeneration: 2 },
  ],
};

test('who names no version takes none away, by type and in their order', async () => {
  const server = await told(seen);
  const conditions = seen.conditions.map(({ type }) => ({ type, status: 'Unknown' }));
  await server.merge(pods, 'p', {
    subresource: 'status',
    body: { status: { observedGeneration: 0, conditions: [...conditions, { type: 'New', status: 'True' }] } },
  });
  expect(await versions(server)).toEqual([3, 'Ready 3', 'a.example.com/x 1', 'a.example.com/x 2', 'New undefined']);
});

test('who names one is taken at their word', async () => {
  const server = await told(seen);
  const conditions = [{ type: 'Ready', status: 'False', observedGeneration: 1 }];
  await server.merge(pods, 'p', { subresource: 'status', body: { status: { observedGeneration: 2, conditions } } });
  expect(await versions(server)).toEqual([2, 'Ready 1']);
});

test('nor does an eviction, which names none', async () => {
  const server = await told({
    phase: 'Running',
    conditions: [{ type: 'DisruptionTarget', status: 'False', observedGeneration: 1 }],
  });
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
  await server.create(pods, eviction, { name: 'p', subresource: 'eviction' });
  expect(await versions(server)).toEqual([undefined, 'DisruptionTarget 1']);
});

test('a binding names none, as upstream: the node does', async () => {
  const server = await createTestServer();
  await server.create(pods, pod('p', {}));
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { name: 'n1' } };
  await server.create(pods, binding, { name: 'p', subresource: 'binding' });
  expect(await versions(server)).toEqual([undefined, 'PodScheduled undefined']);
});
