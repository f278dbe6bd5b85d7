import type { Node, Pod } from '../../../api/generated/core-v1.ts';
import type { Platform } from '../../../runtime/component.ts';
import type {
  ContainerSeen,
  ContainerStart,
  DriverEars,
  Machine,
  NodeDriver,
  PodEvent,
  PodSeen,
  Started,
} from '../../driver.ts';
import { type AddressPool, createAddressPool } from './addresses.ts';
import { begun, type Life, lived, recalled } from './life.ts';
import { containerLog } from './logs.ts';
import { usageOf } from './simulation.ts';

export interface SimulationOptions {
  /** How long containers take to start: between these, by chance. */
  readonly startDelayMs?: { readonly least: number; readonly most: number };
}

const startDelayMsDefault = { least: 100, most: 600 };

/** What a simulated machine has unless its Node says otherwise. */
const capacity = { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110' };

/**
 * Thousands of machines in one: what a container does is a function of its pod's annotations and the time, so nothing runs
 * here. Only the moments at which something happened are kept.
 */
export function createSimulatedDriver(
  { clock, random }: Pick<Platform, 'clock' | 'random'>,
  { startDelayMs: { least, most } = startDelayMsDefault }: SimulationOptions = {},
): NodeDriver {
  /** By uid, so that a pod which takes another's name has a life of its own. */
  const lives = new Map<string, Life>();
  const podIps = createAddressPool('10.128.0.0', 9);
  const nodes = createNodeAddresses(createAddressPool('172.16.0.0', 12));

  const change = (pod: Pod, by: (life: Life) => Life): void => {
    const life = lives.get(pod.metadata.uid);
    if (life !== undefined) lives.set(pod.metadata.uid, by(life));
  };

  let ears: DriverEars | undefined;

  return {
    name: 'simulated',
    ...nodes,
    listen(to) {
      ears = to;
    },
    adopt(pod) {
      const podIp = pod.spec.hostNetwork === true ? undefined : pod.status.podIP;
      if (podIp !== undefined) podIps.reserve(podIp);
      const beginsMs = clock.nowMs() + least + random.below(Math.max(1, most - least));
      lives.set(pod.metadata.uid, {
        beginsMs,
        podIp,
        stopping: undefined,
        containers: recalled(pod),
      });
    },
    status(pod) {
      const life = lives.get(pod.metadata.uid);
      if (life === undefined) return unknown;
      const { containers, changesMs } = lived(pod, life, clock.nowMs());
      const needsIp = life.podIp === undefined && pod.spec.hostNetwork !== true && hasRun(containers);
      const podIp = needsIp ? podIps.take() : life.podIp;
      if (containers !== life.containers || podIp !== life.podIp)
        lives.set(pod.metadata.uid, { ...life, podIp, containers });
      return {
        containers,
        ...(podIp !== undefined && { podIp }),
        ...(life.stopping !== undefined && { stopping: life.stopping }),
        ...(clock.nowMs() < life.beginsMs && { beginsMs: life.beginsMs }),
        ...(changesMs !== undefined && { changesMs }),
      };
    },
    start: (pod, starts) => change(pod, (life) => started(pod, life, { starts, nowMs: clock.nowMs() })),
    stop: (pod, stopping) =>
      change(pod, (life) => {
        if (life.stopping === undefined && stopping.graceMs > 0)
          for (const event of stopEvents(life)) ears?.happened(pod, event);
        return { ...life, stopping };
      }),
    forget(pod) {
      const { podIp = pod.spec.hostNetwork === true ? undefined : pod.status.podIP } =
        lives.get(pod.metadata.uid) ?? {};
      if (podIp !== undefined) podIps.give(podIp);
      lives.delete(pod.metadata.uid);
    },
    logs: (pod, query, { signal }) => containerLog(pod, query, { clock, signal }),
    usage: (pod) => (pod.status.phase === 'Running' ? usageOf(pod) : undefined),
  };
}

interface Starting {
  readonly starts: readonly ContainerStart[];
  readonly nowMs: number;
}

function started(pod: Pod, life: Life, { starts, nowMs }: Starting): Life {
  const containers = new Map(life.containers);
  for (const { name, restartCount } of starts)
    containers.set(
      name,
      restartCount === 0
        ? { is: 'waiting', reason: 'ContainerCreating' }
        : {
            ...begun(pod, { name, image: imageOf(pod, name), restartCount, nowMs }),
            ...endBefore(life.containers.get(name)),
          },
    );
  return { ...life, containers };
}

/** What a kubelet says when it stops them. A fleet that stops very many says it of the first. */
function stopEvents({ containers }: Life): readonly PodEvent[] {
  const running = [...containers].filter(([, { is }]) => is === 'running');
  return running.map(([name]) => ({
    type: 'Normal',
    reason: 'Killing',
    note: `Stopping container ${name}`,
    isMinor: true,
  }));
}

function imageOf({ spec }: Pod, container: string): string {
  return [...spec.containers, ...(spec.initContainers ?? [])].find(({ name }) => name === container)?.image ?? '';
}

function endBefore(seen: ContainerSeen | undefined): Pick<Started, 'before'> {
  if (seen?.is !== 'ended') return {};
  const { is: _is, before: _before, ...before } = seen;
  return { before };
}

const unknown: PodSeen = { containers: new Map() };

function hasRun(containers: ReadonlyMap<string, ContainerSeen>): boolean {
  for (const { is } of containers.values()) if (is !== 'waiting') return true;
  return false;
}

/** Each machine has an address of its own, from when it registers until its Node is gone. */
function createNodeAddresses(pool: AddressPool): Pick<NodeDriver, 'join' | 'machine' | 'leave'> {
  const taken = new Map<string, string>();
  const known = ({ metadata, status }: Node): string | undefined =>
    status.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? taken.get(metadata.name);
  const taking = ({ metadata, status }: Node): string => {
    // Whoever wrote addresses into the Node without an internal one wants none.
    if (status.addresses !== undefined) return '';
    const address = pool.take();
    taken.set(metadata.name, address);
    return address;
  };
  return {
    join(node) {
      const address = known(node);
      if (address !== undefined) pool.reserve(address);
    },
    machine: (node) => machineOf(node, known(node) ?? taking(node)),
    leave(node) {
      const address = known(node);
      if (address !== undefined) pool.give(address);
      taken.delete(node.metadata.name);
    },
  };
}

function machineOf({ metadata: { uid } }: Node, address: string): Machine {
  return {
    address,
    capacity,
    info: {
      machineID: uid.replaceAll('-', ''),
      systemUUID: uid,
      bootID: uid,
      kernelVersion: '6.1.0-signalbox',
      osImage: 'Signalbox simulated node',
      containerRuntimeVersion: 'simulated://1.0',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  };
}
