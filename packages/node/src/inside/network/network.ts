/**
 * The cluster's network, in the namespace that inside was started in: a bridge, and for each pod a namespace with an address of its
 * own. Whoever has root there can do all of it; nothing is ever done in the machine's own namespace.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PodPlace } from '../../protocol/inside.ts';
import { createGatewayNetwork, type GatewayPlan } from '../gateway/network.ts';
import { runWell } from '../run.ts';

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

/** Where a pod's namespaces are held, in a folder that only inside sees. */
export interface PodNamespaces {
  readonly network: string | undefined;
  readonly ipc: string;
  readonly uts: string;
}

/** `ip netns` looks for names here. */
const networksFolder = '/run/netns';
export const namespacesFolder = '/run/signalbox';

/** `/run` must be ours already. */
export async function createNetwork({ bridge, podBits, gateway }: NetworkPlan): Promise<void> {
  const batch = [
    'link set lo up',
    'link add br0 type bridge',
    `addr add ${bridge}/${podBits} dev br0`,
    'link set br0 up',
  ];
  await runWell(['ip', '-batch', '-'], { input: `${batch.join('\n')}\n` });
  await createGatewayNetwork(gateway);
}

export function podNamespaces(slot: string, { address }: Pick<PodPlace, 'address'>): PodNamespaces {
  return {
    network: address === undefined ? undefined : join(networksFolder, slot),
    ipc: join(namespacesFolder, `${slot}.ipc`),
    uts: join(namespacesFolder, `${slot}.uts`),
  };
}

/** Everything at once, by one shell: a program less is a millisecond less. As with container runtimes any port of the pod is anybody's. */
const addScript = `set -e
: > "$3"; : > "$4"
if [ -n "$2" ]; then : > "$2"
unshare --net="$2" --ipc="$3" --uts="$4" sh -c 'hostname "$1"; echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start' sh "$5"
else unshare --ipc="$3" --uts="$4" hostname "$5"; fi
mkdir -p "$6"
mount -t tmpfs -o size=64m,mode=1777,nosuid,nodev shm "$6"
[ -n "$2" ] || exit 0
ip -batch - <<END
link add $1 type veth peer name eth0 netns $1
link set $1 master br0 up
END
ip -n "$1" -batch - <<END
link set lo up
addr add $7 dev eth0
link set eth0 up
route add default via $8
END
`;

export interface PodNetwork {
  /** Short, of letters and digits: the name of its interface, too. */
  readonly slot: string;
  readonly pod: PodPlace;
  readonly plan: NetworkPlan;
  /** Where shared memory of the pod's is mounted. */
  readonly sharedMemory: string;
}

export async function addPodNetwork({ slot, pod, plan, sharedMemory }: PodNetwork): Promise<void> {
  const { network = '', ipc, uts } = podNamespaces(slot, pod);
  if (existsSync(ipc)) await removePodNetwork({ slot, sharedMemory });
  const address = `${pod.address ?? ''}/${plan.podBits}`;
  const args = [slot, network, ipc, uts, pod.hostname, sharedMemory, address, plan.gateway.address];
  try {
    await runWell(['sh', '-c', addScript, 'sh', ...args]);
  } catch (error) {
    await removePodNetwork({ slot, sharedMemory });
    throw error;
  }
}

/** Its interface goes with the namespace; one that still holds a connection may take the kernel a moment. */
const removeScript = `ip link del "$1" 2>/dev/null
for each in "$2" "$3" "$4" "$5"; do umount -l "$each" 2>/dev/null; done
rm -f "$2" "$3" "$4"
true
`;

export async function removePodNetwork({
  slot,
  sharedMemory,
}: Pick<PodNetwork, 'slot' | 'sharedMemory'>): Promise<void> {
  const { network = '', ipc, uts } = podNamespaces(slot, { address: 'any' });
  await runWell(['sh', '-c', removeScript, 'sh', slot, network, ipc, uts, sharedMemory]);
}
