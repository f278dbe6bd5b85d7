/**
 * The cluster's network, in the namespace that inside was started in: a bridge, and for each pod a namespace with an address of its
 * own. Whoever has root there can do all of it; nothing is ever done in the machine's own namespace.
 */
import { closeSync, openSync } from 'node:fs';
import type { PodPlace } from '../../protocol/inside.ts';
import { createGatewayNetwork, type GatewayPlan } from '../gateway/network.ts';
import type { Pipes } from '../processes/pipes.ts';
import { runWell } from '../run.ts';
import { type PodShell, startPodShell } from './pod-shell.ts';

export interface NetworkPlan {
  /** The node's own address. */
  readonly bridge: string;
  readonly podBits: number;
  /** Whatever has no address on the bridge is its. */
  readonly gateway: GatewayPlan;
}

export const defaultNetwork: NetworkPlan = {
  bridge: '10.64.0.1',
  podBits: 16,
  gateway: {
    address: '10.64.255.254',
    podBits: 16,
    // Services, names, ways out, simulated pods.
    answered: ['10.96.0.0/16', '169.254.20.10/32', '198.18.0.0/15', '10.128.0.0/9'],
    nameServer: '169.254.20.10',
  },
};

/** A pod's namespaces, as paths by which they are joined. They last as long as they are held, and what runs in them. */
export interface PodNamespaces {
  readonly network: string | undefined;
  readonly ipc: string;
  readonly uts: string;
}

/** In memory, and seen by inside alone. */
export const namespacesFolder = '/run/signalbox';

/** Of the bridge: who is in a pod's namespace knows no name of it. */
const bridgeIndex = 4_096;

/** `/run` must be ours already. */
export async function createNetwork({ bridge, podBits, gateway }: NetworkPlan): Promise<void> {
  const batch = [
    'link set lo up',
    `link add br0 index ${bridgeIndex} type bridge`,
    `addr add ${bridge}/${podBits} dev br0`,
    'link set br0 up',
  ];
  await runWell(['ip', '-batch', '-'], { input: `${batch.join('\n')}\n` });
  await createGatewayNetwork(gateway);
}

/**
 * Run in the pod's namespaces: each program is a millisecond or more of every start, so there are as few as can be. As with container
 * runtimes any port of the pod is anybody's.
 */
const addScript = `echo "$1" 2>/dev/null > /proc/sys/kernel/hostname || hostname "$1"
[ -z "$2" ] || echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start
[ -z "$2" ] || ip -batch - << batch
$2
batch
`;

/** The other end goes to the bridge's namespace, which is that of the first process, and joins the bridge there. */
function linkBatch({ slot, pod: { address }, plan }: PodNetwork): string {
  const batch = [
    'link set lo up',
    `link add eth0 type veth peer name ${slot}`,
    `link set ${slot} netns 1 master if${bridgeIndex} up`,
    `addr add ${address}/${plan.podBits} dev eth0`,
    'link set eth0 up',
    `route add default via ${plan.gateway.address}`,
  ];
  return batch.join('\n');
}

export interface PodNetwork {
  /** Short, of letters and digits: the name of its interface. */
  readonly slot: string;
  readonly pod: PodPlace;
  readonly plan: NetworkPlan;
  /** Where shared memory of the pod's is mounted. */
  readonly sharedMemory: string;
}

export interface HeldNamespaces extends PodNamespaces {
  /** What waits in them to become a sandbox, for the first who asks. */
  takeShell(): PodShell | undefined;
  /** Lets go of them. */
  close(): void;
}

export async function addPodNetwork(network: PodNetwork, pipes: Pipes): Promise<HeldNamespaces> {
  const { slot, pod, sharedMemory } = network;
  const hasOwn = pod.address !== undefined;
  const shell = await startPodShell(
    {
      namespaces: [...(hasOwn ? ['--net'] : []), '--ipc', '--uts'],
      ...{ script: addScript, args: [pod.hostname, hasOwn ? linkBatch(network) : ''] },
      orders: `${namespacesFolder}/${slot}.orders`,
    },
    pipes,
  );
  const failure = await shell.made;
  const held = failure === undefined ? hold(shell, hasOwn) : undefined;
  if (held !== undefined) return held;
  shell.end();
  await removePodNetwork({ slot, sharedMemory });
  throw new Error(`the network of pod ${pod.name} cannot be made: ${failure ?? 'its shell has been ended'}`);
}

/**
 * By descriptors, not by mounts: every container that is started takes a copy of all mounts, and its sandbox reads them. Undefined: what
 * made them has been ended.
 */
function hold(shell: PodShell, hasOwn: boolean): HeldNamespaces | undefined {
  const { pid } = shell.child;
  const opened = new Map<string, number>();
  try {
    for (const kind of [...(hasOwn ? ['net'] : []), 'ipc', 'uts'])
      opened.set(kind, openSync(`/proc/${pid}/ns/${kind}`, 'r'));
  } catch {
    for (const descriptor of opened.values()) closeSync(descriptor);
    return undefined;
  }
  const pathOf = (kind: string): string => `/proc/${process.pid}/fd/${opened.get(kind)}`;
  let waiting: PodShell | undefined = shell;
  return {
    ...{ network: hasOwn ? pathOf('net') : undefined, ipc: pathOf('ipc'), uts: pathOf('uts') },
    takeShell() {
      const taken = waiting;
      waiting = undefined;
      return taken;
    },
    close() {
      waiting?.end();
      for (const descriptor of opened.values()) closeSync(descriptor);
    },
  };
}

/** Its interface goes with the namespace; one that still holds a connection may take the kernel a moment. */
const removeScript = `ip link del "$1" 2>/dev/null
umount -n -l "$2" 2>/dev/null
true
`;

export async function removePodNetwork({
  slot,
  sharedMemory,
}: Pick<PodNetwork, 'slot' | 'sharedMemory'>): Promise<void> {
  await runWell(['sh', '-c', removeScript, 'sh', slot, sharedMemory]);
}
