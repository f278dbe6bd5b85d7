import type { Node } from '../../api/generated/core-v1.ts';
import { nodes } from '../../api/generated/kinds.ts';
import { driverAnnotation } from '../../resources/core/node.ts';
import { type Controller, mapped } from '../../runtime/controller.ts';
import { type Observed, plan } from './plan.ts';

/** All ranges are given out in one place, so that no two plans give the same. */
const key = 'ranges';

/**
 * Gives nodes that run real pods a range of addresses of their own, `spec.podCIDR`, as the node IPAM controller does. Simulated ones need
 * none: their driver has one pool for all.
 */
export const nodeIpamController: Controller<Observed> = {
  name: 'node-ipam',
  source: 'cidrAllocator',
  watches: [mapped(nodes, ({ type, object }) => (type !== 'deleted' && lacksRange(object) ? [key] : []))],
  observe: (_, caches) => ({ nodes: [...caches.of(nodes).values()].filter(isReal) }),
  plan,
};

function lacksRange(node: Node): boolean {
  return isReal(node) && (node.spec.podCIDR ?? '') === '';
}

function isReal({ metadata }: Node): boolean {
  const driver = metadata.annotations?.[driverAnnotation];
  return driver !== undefined && driver !== 'simulated';
}
