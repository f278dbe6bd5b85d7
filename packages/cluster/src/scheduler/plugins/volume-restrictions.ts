import type { Volume } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims } from '../../api/generated/kinds.ts';
import type { Key } from '../../api/meta.ts';
import type { Detail } from '../detail.ts';
import type { NodeView } from '../node-view.ts';
import { abstains, fits, type PluginState, rejects, type SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';
import type { Snapshot } from '../snapshot.ts';
import { collide, disksOf } from './disks.ts';

/**
 * A claim that is `ReadWriteOncePod` has one pod at a time, whatever the node. A disk that a pod names itself is on a node once, but
 * for those who only read it.
 */
export const volumeRestrictions: SchedulerPlugin<ExclusiveUse | undefined> = {
  name: 'VolumeRestrictions',
  reads: [persistentvolumeclaims],
  wakesOn: ['node/added', 'pod/removed'],
  wakesFrom: 'anywhere',
  prepare(pod, snapshot) {
    const claims = exclusiveClaims(pod, snapshot);
    const disks = disksOf(pod);
    if (claims.size === 0 && disks.length === 0) return abstains;
    return { state: exclusiveUse({ claims, disks }, usersIn(snapshot, claims)) };
  },
  filter(_, node, state) {
    if (state === undefined) return fits;
    if (state.disks.length > 0 && holdersOf(state.disks, node).length > 0) return noDisk;
    return state.users.length === 0 ? fits : inUse;
  },
  details: (pod, node, state) => (state === undefined ? [] : [...takenDisks(node, state), ...takenClaims(pod, state)]),
};

function takenDisks(node: NodeView, { disks }: ExclusiveUse): readonly Detail[] {
  return disks.flatMap((disk) => {
    const holders = holdersOf([disk], node);
    if (holders.length === 0) return [];
    const text = `the disk of volume ${disk.name} is mounted on the node`;
    const mend = 'mount it read-only in all pods where that is possible, or move the pod that has it';
    return [{ text, mend, pods: holders.map(({ key }) => key) }];
  });
}

/** By what the pod calls them. */
function takenClaims({ claims }: PodView, { claims: exclusive, users }: ExclusiveUse): readonly Detail[] {
  return claims.flatMap(({ key, volume }) => {
    const holders = exclusive.has(key) ? users.filter((user) => isUsing(user, new Set([key]))) : none;
    if (holders.length === 0) return [];
    const text = `the claim of its volume ${volume} is ReadWriteOncePod, and another pod has it`;
    return [
      { text, mend: 'that pod has to go first, or another claim be mounted', pods: holders.map((user) => user.key) },
    ];
  });
}

const noDisk = rejects('node(s) had no available disk');

function holdersOf(disks: readonly Volume[], { pods }: NodeView): readonly PodView[] {
  return [...pods.values()].filter((pod) => disksOf(pod).some((held) => disks.some((disk) => collide(disk, held))));
}

const inUse = rejects(
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);

interface Exclusive {
  readonly claims: ReadonlySet<Key>;
  readonly disks: readonly Volume[];
}

interface ExclusiveUse extends PluginState, Exclusive {
  /** Other pods that mount claims which the pod needs for itself. */
  readonly users: readonly PodView[];
}

function exclusiveUse(exclusive: Exclusive, users: readonly PodView[]): ExclusiveUse {
  const { claims, disks } = exclusive;
  const state: ExclusiveUse = {
    ...{ claims, disks, users },
    with: (pod) => (isUsing(pod, claims) ? exclusiveUse(exclusive, [...users, pod]) : state),
    without: (pod) =>
      isUsing(pod, claims)
        ? exclusiveUse(
            exclusive,
            users.filter(({ uid }) => uid !== pod.uid),
          )
        : state,
  };
  return state;
}

function exclusiveClaims({ claims }: PodView, snapshot: Snapshot): ReadonlySet<Key> {
  if (claims.length === 0) return noClaims;
  const cache = snapshot.of(persistentvolumeclaims);
  const exclusive = claims.filter(({ key }) => cache.get(key)?.spec.accessModes?.includes('ReadWriteOncePod') === true);
  return new Set(exclusive.map(({ key }) => key));
}

const noClaims: ReadonlySet<Key> = new Set();
const none: readonly never[] = [];

/** Looks at every pod: few pods have such a claim. */
function usersIn({ nodes }: Snapshot, claims: ReadonlySet<Key>): readonly PodView[] {
  if (claims.size === 0) return none;
  const users: PodView[] = [];
  for (const { pods } of nodes) for (const pod of pods.values()) if (isUsing(pod, claims)) users.push(pod);
  return users;
}

function isUsing(pod: PodView, claims: ReadonlySet<Key>): boolean {
  return pod.claims.some(({ key }) => claims.has(key));
}
