import type { Volume } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims } from '../../api/generated/kinds.ts';
import type { Key } from '../../api/meta.ts';
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
    return { state: exclusiveUse({ claims, disks }, usesIn(snapshot, claims)) };
  },
  filter(_, node, state) {
    if (state === undefined) return fits;
    if (state.disks.length > 0 && holdersOf(state.disks, node).length > 0) return noDisk;
    return state.uses === 0 ? fits : inUse;
  },
  details: (_, node, state) =>
    (state?.disks ?? []).flatMap((disk) => {
      const holders = holdersOf([disk], node);
      if (holders.length === 0) return [];
      const text = `the disk of volume ${disk.name} is mounted on the node`;
      const mend = 'mount it read-only in all pods where that is possible, or move the pod that has it';
      return [{ text, mend, pods: holders.map(({ key }) => key) }];
    }),
};

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

interface ExclusiveUse extends PluginState, Pick<Exclusive, 'disks'> {
  /** How often other pods mount the claims that the pod needs for itself. */
  readonly uses: number;
}

function exclusiveUse(exclusive: Exclusive, uses: number): ExclusiveUse {
  const { claims, disks } = exclusive;
  const after = (by: number): ExclusiveUse => (by === 0 ? state : exclusiveUse(exclusive, uses + by));
  const state: ExclusiveUse = {
    ...{ disks, uses },
    with: (pod) => after(usesOf(pod, claims)),
    without: (pod) => after(-usesOf(pod, claims)),
  };
  return state;
}

function exclusiveClaims({ claims }: PodView, snapshot: Snapshot): ReadonlySet<Key> {
  if (claims.length === 0) return none;
  const cache = snapshot.of(persistentvolumeclaims);
  const exclusive = claims.filter(({ key }) => cache.get(key)?.spec.accessModes?.includes('ReadWriteOncePod') === true);
  return new Set(exclusive.map(({ key }) => key));
}

const none: ReadonlySet<Key> = new Set();

/** Looks at every pod: few pods have such a claim. */
function usesIn({ nodes }: Snapshot, claims: ReadonlySet<Key>): number {
  if (claims.size === 0) return 0;
  let uses = 0;
  for (const { pods } of nodes) for (const pod of pods.values()) uses += usesOf(pod, claims);
  return uses;
}

function usesOf(pod: PodView, claims: ReadonlySet<Key>): number {
  return pod.claims.filter(({ key }) => claims.has(key)).length;
}
