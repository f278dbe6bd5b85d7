import { expect, test } from 'vitest';
import { usualNodes } from './start.ts';

const namespace = { key: '/core/namespaces/default' };
const node = { key: '/core/nodes/node-1' };
const definition = { key: '/apiextensions.k8s.io/customresourcedefinitions/probes.monitoring.coreos.com' };

test.each<[string, readonly { readonly key: string }[], number]>([
  ['a new cluster gets the usual nodes', [], 3],
  ['one whose first start ended before its nodes gets them now', [namespace], 3],
  ['one whose first start ended among its nodes gets the rest', [namespace, node], 3],
  ['one that was there keeps what it has', [definition, namespace, node], 0],
  ['nodes that someone deleted stay deleted', [definition, namespace], 0],
])('%s', async (_, records, expected) => {
  expect(await usualNodes(records)).toBe(expected);
});
