/** What the agent of all nodes knows, and is told when it is made. */
import type { Lease } from '../api/generated/coordination-v1.ts';
import type { Node, PodStatus } from '../api/generated/core-v1.ts';
import { nodes as nodesType } from '../api/generated/kinds.ts';
import type { Key, New } from '../api/meta.ts';
import { nodeAgent } from '../api/system-identities.ts';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import type { Platform } from '../runtime/component.ts';
import { createEventRecorder, type EventRecorder } from '../runtime/events.ts';
import { type Agenda, createAgenda } from './agenda.ts';
import type { NodeDriver } from './driver.ts';
import { createMountTries, type MountTries } from './mount-tries.ts';
import { createMounts, type Mounts } from './mounts.ts';
import { leaseSecondsFor } from './node-plan.ts';
import { createTold, type Told } from './told.ts';

export interface NodeAgentOptions {
  /** Who runs the nodes; the first runs those that name none. */
  readonly drivers: readonly NodeDriver[];
  /** How long a node counts as alive after a sign of life; it gives one four times as often. The default is by the size of the fleet. */
  readonly leaseDurationSeconds?: number;
  readonly kubeletVersion?: string;
  /** Nodes that the agent registers itself, as a kubelet does: made when they are missing, with these labels and annotations. */
  readonly registers?: readonly New<Node>[];
}

/** What the agent remembers of a pod. */
export interface Charge {
  readonly uid: string;
  readonly driver: NodeDriver;
  readonly stoppingMs: number | undefined;
  /** What was told of it last, where that was all. */
  readonly told?: PodStatus;
}

export interface Well {
  /** Whoever changes it makes it be looked at again. */
  readonly node: Node;
  /** As it was renewed last; undefined where it has to be asked for. */
  readonly lease: Lease | undefined;
}

export interface Agent {
  readonly platform: Platform;
  readonly options: Required<Omit<NodeAgentOptions, 'leaseDurationSeconds'>>;
  /** How long a sign of life is to count. */
  leaseDurationSeconds(): number;
  readonly signal: AbortSignal;
  readonly client: Client;
  readonly events: EventRecorder;
  /** What is due of pods, and the signs of life of nodes: however many pods wait for their turn, a node does not fall silent. */
  readonly agenda: Agenda;
  readonly signs: Agenda;
  readonly charges: Map<Key, Charge>;
  /** How often in a row the write of an agenda entry has failed. No node has the name of a pod, which has a slash. */
  readonly failures: Map<string, number>;
  readonly told: Told;
  /** Undefined where volumes are the driver's matter alone. */
  readonly mounts: Mounts | undefined;
  /** Undefined where the driver looks up what pods name. */
  readonly mountTries: MountTries | undefined;
  /** Nodes that said all that there is to say of their machine, so that a sign of life of theirs is that and nothing else. */
  readonly well: Map<string, Well>;
}

/** What is being changed, or is not known yet, is looked at again after that. */
export const retryMs = 100;

/**
 * Scheduling and controllers come first, since kubelets would be other machines. What is to be done of a pod waits no longer than
 * somebody would notice.
 */
const patienceMs = 250;

export function createState(platform: Platform, options: NodeAgentOptions, signal: AbortSignal): Agent {
  const { transport, clock, random } = platform;
  const client = createClient(transport, nodeAgent.user);
  const fleet = platform.informers.of(nodesType);
  const signs = createAgenda(clock);
  const well = new Map<string, Well>();
  const tellUse = (node: string): void => {
    well.delete(node);
    signs.set(node, clock.nowMs());
  };
  return {
    platform,
    options: { kubeletVersion: 'v1.34.2', registers: [], ...options },
    leaseDurationSeconds: () => options.leaseDurationSeconds ?? leaseSecondsFor(fleet.size),
    signal,
    client,
    events: createEventRecorder({ client, clock, random: random.fork('events'), source: 'kubelet' }),
    agenda: createAgenda(clock, { patienceMs }),
    signs,
    charges: new Map(),
    failures: new Map(),
    told: createTold(platform.informers),
    mounts: registersItself(options) ? undefined : createMounts(platform.informers, tellUse),
    mountTries: registersItself(options) ? undefined : createMountTries(platform.informers),
    well,
  };
}

/** Who does may read what its own pods need and no more, as a kubelet: neither leases nor volumes of all. */
export function registersItself({ registers = [] }: Pick<NodeAgentOptions, 'registers'>): boolean {
  return registers.length > 0;
}
