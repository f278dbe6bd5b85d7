import { afterEach, beforeEach, expect, test } from 'vitest';
import { nodes } from '../../api/generated/kinds.ts';
import { driverAnnotation } from '../../resources/core/node.ts';
import { createControllerRunner } from '../../runtime/runner.ts';
import { makeNode } from '../../testing/makers.ts';
import { createTestPlane, type TestPlane } from '../../testing/plane.ts';
import { nodeIpamController } from './controller.ts';
import { plan } from './plan.ts';

let plane: TestPlane;
beforeEach(async () => {
  plane = await createTestPlane();
  await plane.server.writeRoles();
  plane.start(createControllerRunner(nodeIpamController, plane.platform));
  await plane.clock.settle();
});
afterEach(async () => {
  expect(plane.problems).toEqual([]);
  await plane.close();
});

async function add(name: string, { driver = 'process', range }: { driver?: string; range?: string } = {}) {
  const annotations = driver === '' ? {} : { [driverAnnotation]: driver };
  const spec = range === undefined ? {} : { podCIDR: range };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, annotations }, spec } as const;
  await plane.client.create(nodes, node, { signal: plane.signal });
}

async function ranges(): Promise<readonly string[]> {
  await plane.clock.advance(1_000);
  const all = await plane.all(nodes);
  return all.map(({ metadata, spec }) =>
    `${metadata.name} ${spec.podCIDR ?? 'none'} ${spec.podCIDRs?.join() ?? ''}`.trim(),
  );
}

test('real nodes get ranges of their own, simulated ones need none', async () => {
  await Promise.all(['b', 'a', 'c'].map((name) => add(name)));
  await add('fleet', { driver: '' });
  await add('simulated', { driver: 'simulated' });
  expect(await ranges()).toEqual([
    'a 10.64.0.0/22 10.64.0.0/22',
    'b 10.64.4.0/22 10.64.4.0/22',
    'c 10.64.8.0/22 10.64.8.0/22',
    'fleet none',
    'simulated none',
  ]);
});

test('what somebody chose stays, and is given to nobody else; what is free again is given anew', async () => {
  await add('mine', { range: '10.64.1.0/24' });
  await add('foreign', { range: '192.168.0.0/16' });
  await add('a');
  await plane.clock.advance(1_000);
  await plane.client.delete(nodes, { name: 'mine', signal: plane.signal });
  await add('b');
  expect(await ranges()).toEqual([
    'a 10.64.4.0/22 10.64.4.0/22',
    'b 10.64.0.0/22 10.64.0.0/22',
    'foreign 192.168.0.0/16 192.168.0.0/16',
  ]);
});

test('the last one is told that there are no more', () => {
  const all = Array.from({ length: 65 }, (_, index) => makeNode(`n${String(index).padStart(2, '0')}`));
  const { actions } = plan({ nodes: all });
  expect(actions.slice(-2)).toEqual([
    expect.objectContaining({ body: { spec: { podCIDR: '10.64.252.0/22', podCIDRs: ['10.64.252.0/22'] } } }),
    expect.objectContaining({ reason: 'CIDRNotAvailable', note: 'Node n64 status is now: CIDRNotAvailable' }),
  ]);
});
