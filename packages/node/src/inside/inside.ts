/** `Inside` as it is: pods, containers, network and what else there is, put together. */
import type { ContainerState, Inside, Waiting } from '../protocol/inside.ts';
import { cgroupLacks } from '../sandbox/cgroups.ts';
import type { EventLog } from './event-log.ts';
import type { ClusterServices } from './gateway/cluster-services.ts';
import { dialTo } from './network/dial.ts';
import type { Relays } from './network/relays.ts';
import type { Volumes } from './parts.ts';
import type { Pods } from './pods.ts';
import { groupOf } from './processes/container.ts';
import type { Containers } from './processes/containers.ts';
import type { ControlGroups } from './processes/control-groups.ts';
import { attachTo, type ExecTools, execIn } from './processes/exec.ts';
import { countsByUser, processLimit } from './processes/process-count.ts';
import { usageOf } from './processes/usage.ts';
import { assertUid } from './safe-names.ts';

export interface InsideParts {
  readonly events: EventLog;
  readonly pods: Pods;
  readonly containers: Containers;
  readonly groups: ControlGroups;
  readonly volumes: Volumes;
  readonly services: ClusterServices;
  readonly relays: Relays;
  readonly execTools: Pick<ExecTools, 'machine' | 'pipes' | 'clock'>;
  /** In a while, unless the pod is back by then. */
  forgetLogs(uid: string): void;
  /** How all that ran has ended, for the next process inside. */
  leaveEnds(states: readonly ContainerState[]): Promise<void>;
  /** After the answer has been given. */
  end(): void;
}

export function createInside(parts: InsideParts): Inside {
  const { events, pods, containers, groups, volumes, services, relays } = parts;
  const { isRoot } = parts.execTools.machine;
  const counting = { trees: groups.trees, isRoot };
  const held = countsByUser(counting) ? (['pids'] as const) : [];
  return {
    async state() {
      return {
        event: events.last,
        pods: pods.all().map(({ place }) => place),
        containers: containers.states(),
        orphans: await pods.orphans(),
        lacks: [...cgroupLacks(groups.trees, { held }), ...(isRoot ? [] : ordinaryLacks)],
      };
    },
    events: (since: number, waiting: Waiting) => events.events(since, waiting),
    async addPod(place) {
      await pods.add(place);
      const { processesMax: processes } = place;
      await groups.create(place.uid, processes === undefined ? {} : { processes });
      services.podAdded(place);
    },
    async removePod(uid) {
      assertUid(uid);
      await containers.removePod(uid);
      const pod = pods.find(uid);
      if (pod?.namespaces.network !== undefined) relays.remove(pod.namespaces.network);
      if (pod !== undefined) services.podRemoved(pod.place);
      await volumes.remove(uid);
      await groups.remove(uid);
      await pods.remove(uid);
      parts.forgetLogs(uid);
    },
    async writeVolume(uid, volume) {
      pods.get(uid);
      await volumes.write(uid, volume);
    },
    removeVolumes: (uid) => volumes.remove(uid),
    start: (launch) => containers.start(launch),
    signal: async (container, signal) => containers.signal(container, signal),
    exec: async (id, command, waiting) => {
      const container = containers.get(id);
      const joinFiles = groups.joinFiles(groupOf(id));
      const tools = { ...parts.execTools, joinFiles, processLimit: processLimit(pods.get(id.pod).place, counting) };
      return execIn(container, command, { tools, waiting });
    },
    attach: async (id, waiting) => attachTo(containers.get(id), waiting),
    dial: (to, waiting) => dialTo(to, { pods, relays }, waiting),
    usage: () => usageOf(containers.running(), groups),
    setServices: (table) => services.set(table),
    setZone: (zone) => services.setZone(zone),
    setSimulated: (table) => services.setSimulated(table),
    async end() {
      await Promise.all(pods.all().map(({ place }) => containers.endPod(place.uid)));
      await parts.leaveEnds(containers.states());
      for (const { place } of pods.all()) await volumes.remove(place.uid);
      await groups.clear();
      await Promise.all(pods.all().map(({ place }) => pods.remove(place.uid)));
      parts.end();
    },
  };
}

/** What an ordinary user's namespace cannot have. */
const ordinaryLacks: readonly string[] = [
  "containers of a pod with shareProcessNamespace do not see each other's processes, and all users are one on disk; start as root",
];
