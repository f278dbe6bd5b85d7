import { expect, test } from 'vitest';
import type { PodPlace } from '../../protocol/inside.ts';
import type { ServicePort } from '../../protocol/network.ts';
import { createClusterServices } from './cluster-services.ts';

const node = '10.64.0.1';
const port = (address: string, number: number): ServicePort => ({
  ...{ protocol: 'TCP', address, port: number, of: 'shop/web' },
  backends: [{ address: '10.64.0.2', port: 80 }],
});
const pod = (address: string | undefined): PodPlace => ({
  ...{ uid: 'u', namespace: 'shop', name: 'web-0', address, hostname: 'web-0', hosts: [], resolver: [] },
  ...{
    sharesProcesses: false,
    processesMax: undefined,
    hostPorts: [{ protocol: 'TCP', hostPort: 8080, containerPort: 80 }],
  },
});

function world() {
  const seen = { node: '', gateway: '' };
  const text = (ports: readonly ServicePort[]): string => ports.map((each) => `${each.address}:${each.port}`).join(' ');
  const services = createClusterServices({
    nodeAddress: node,
    nodeServices: {
      set: async ({ ports }) => {
        seen.node = text(ports);
      },
    },
    gateway: {
      tell: async (_, value) => {
        if ('ports' in value) seen.gateway = text(value.ports);
      },
    },
  });
  return { seen, services };
}

test('the ports of the node’s address are its own, all others are the gateway’s', async () => {
  const { seen, services } = world();
  await services.set({ ports: [port('10.96.0.9', 80), port(node, 30_080)] });
  expect(seen).toEqual({ node: '10.64.0.1:30080', gateway: '10.96.0.9:80' });
});

test('what pods ask for comes and goes with them, before NodePorts', async () => {
  const { seen, services } = world();
  await services.set({ ports: [port(node, 30_080)] });
  services.podAdded(pod('10.64.0.2'));
  expect(seen.node).toBe('10.64.0.1:8080 10.64.0.1:30080');
  services.podRemoved(pod('10.64.0.2'));
  expect(seen.node).toBe('10.64.0.1:30080');
  // On the host network it listens for itself.
  services.podAdded(pod(undefined));
  expect(seen.node).toBe('10.64.0.1:30080');
});
