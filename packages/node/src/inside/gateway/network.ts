/**
 * The gateway's namespace: the next hop of all pods and of the node itself for whatever is not on the bridge. Services, names, ways out
 * and simulated pods have their addresses here and nowhere else, so that no program of a pod on the host network, which listens on all
 * of the node's addresses, can stand in their way, nor they in its. What has no address here is unreachable, at once.
 */
import { runWell } from '../run.ts';

export interface GatewayPlan {
  /** On the bridge. */
  readonly address: string;
  readonly podBits: number;
  /** Ranges and addresses that are answered here. */
  readonly answered: readonly string[];
  readonly nameServer: string;
}

export const gatewayNetwork = '/run/netns/gateway';

/** In the cluster's namespace, whose bridge is there. */
export async function createGatewayNetwork({ address, podBits, answered }: GatewayPlan): Promise<void> {
  const outside = [
    'netns add gateway',
    'link add gateway type veth peer name eth0 netns gateway',
    'link set gateway master br0 up',
  ];
  const inside = [
    'link set lo up',
    `addr add ${address}/${podBits} dev eth0`,
    'link set eth0 up',
    ...answered.map((range) => `route add local ${range} dev lo`),
    'route add unreachable default',
  ];
  await runWell(['ip', '-batch', '-'], { input: `${outside.join('\n')}\n` });
  await runWell(['ip', '-n', 'gateway', '-batch', '-'], { input: `${inside.join('\n')}\n` });
  await runWell(['ip', 'route', 'add', 'default', 'via', address]);
}
