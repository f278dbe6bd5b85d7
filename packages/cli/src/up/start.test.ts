import { createCluster } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { fleetLives, usualNodes } from './start.ts';

const namespace = { key: '/core/namespaces/default' };
const node = { key: '/core/nodes/node-1' };
const account = { key: '/core/serviceaccounts/default/default' };

test.each<[string, readonly { readonly key: string }[], number]>([
  ['a new cluster gets the usual nodes', [], 3],
  ['one whose first start ended before its nodes gets them now', [namespace], 3],
  ['one whose first start ended among its nodes gets the rest', [namespace, node], 3],
  ['one that was there keeps what it has', [account, namespace, node], 0],
  ['nodes that someone deleted stay deleted', [account, namespace], 0],
])('%s', async (_, records, expected) => {
  expect(await usualNodes(records)).toBe(expected);
});

test.each([
  [999, 0],
  [1_000, 1],
])('a fleet of %i nodes that is there, whoever has made it, is told to the engine %i times', async (count, times) => {
  const cluster = await createCluster({ nodes: count });
  let told = 0;
  const engine = { starts: () => undefined, serves: () => undefined, neverRests: () => () => void told++ };
  const ends = await fleetLives(cluster, { engine, signal: new AbortController().signal });
  ends?.();
  expect(told).toBe(times);
  await cluster.close();
});
