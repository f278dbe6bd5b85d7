import { persistentvolumeclaims } from '../../api/generated/kinds.ts';
import type { Key } from '../../api/meta.ts';
import { abstains, fits, type PluginState, rejects, type SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';
import type { Snapshot } from '../snapshot.ts';

/** A claim that is `ReadWriteOncePod` has one pod at a time, whatever the node. */
export const volumeRestrictions: SchedulerPlugin<ExclusiveUse | undefined> = {
  name: 'VolumeRestrictions',
  reads: [persistentvolumeclaims],
  wakesOn: ['pod/removed'],
  wakesFrom: 'anywhere',
  prepare(pod, snapshot) {
    const claims = exclusiveClaims(pod, snapshot);
    return claims.size === 0 ? abstains : { state: exclusiveUse(claims, usesIn(snapshot, claims)) };
  },
  filter: (_, __, state) => (state === undefined || state.uses === 0 ? fits : inUse),
};

const inUse = rejects(
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);

interface ExclusiveUse extends PluginState {
  /** How often other pods mount the claims that the pod needs for itself. */
  readonly uses: number;
}

function exclusiveUse(claims: ReadonlySet<Key>, uses: number): ExclusiveUse {
  const after = (by: number): ExclusiveUse => (by === 0 ? state : exclusiveUse(claims, uses + by));
  const state: ExclusiveUse = {
    uses,
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
  let uses = 0;
  for (const { pods } of nodes) for (const pod of pods.values()) uses += usesOf(pod, claims);
  return uses;
}

function usesOf(pod: PodView, claims: ReadonlySet<Key>): number {
  return pod.claims.filter(({ key }) => claims.has(key)).length;
}
