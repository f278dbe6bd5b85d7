import { abstains, fits, rejects, type SchedulerPlugin } from '../plugin.ts';
import type { HostPort } from '../pod-view.ts';

/** Two pods cannot listen on one port of one node. */
export const nodePorts: SchedulerPlugin = {
  name: 'NodePorts',
  looksAt: 'demands',
  wakesOn: ['node/added', 'pod/removed'],
  prepare: ({ hostPorts }) => (hostPorts.length === 0 ? abstains : { state: undefined }),
  filter: ({ hostPorts }, node) =>
    hostPorts.some((port) => node.hostPorts.some((other) => collide(port, other))) ? taken : fits,
  details: ({ hostPorts }, node) =>
    hostPorts.flatMap((port) => {
      const holders = [...node.pods.values()].filter((pod) => pod.hostPorts.some((other) => collide(port, other)));
      if (holders.length === 0) return [];
      const text = `port ${port.port}/${port.protocol} of the node is taken`;
      return [{ text, mend: 'use another hostPort, or move the pod that has it', pods: holders.map(({ key }) => key) }];
    }),
};

const taken = rejects("node(s) didn't have free ports for the requested pod ports");

const everyAddress = '0.0.0.0';

function collide(a: HostPort, b: HostPort): boolean {
  return (
    a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === everyAddress || b.ip === everyAddress)
  );
}
