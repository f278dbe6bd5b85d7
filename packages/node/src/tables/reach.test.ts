import type { EndpointSlice } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { withinReach } from './reach.ts';

const slice = (endpoints: EndpointSlice['endpoints']): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  addressType: 'IPv4',
  metadata: {
    namespace: 'shop',
    name: 'web',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  endpoints,
});

test('pods of this node, simulated ones and what belongs to no node are within reach; another node’s addresses are other pods’ here', () => {
  const own = { addresses: ['10.64.0.2'], nodeName: 'a' };
  const other = { addresses: ['10.64.0.2'], nodeName: 'b' };
  const simulated = { addresses: ['10.128.0.2'], nodeName: 'node-1' };
  const written = { addresses: ['192.0.2.1'] };
  const near = slice([own, simulated, written]);
  const [first, second] = withinReach([near, slice([other, own])], { name: 'a' });
  expect(first).toBe(near);
  expect(second?.endpoints).toEqual([own]);
});
