import type { NodeSelectorTerm, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, persistentvolumes } from '../../api/generated/kinds.ts';
import { matchesNodeSelectorTerms } from '../../api/selector/selector.ts';
import { abstains, fits, type PluginState, rejectsForGood, type SchedulerPlugin } from '../plugin.ts';
import { volumesOf } from './volumes.ts';

/** A pod waits until every claim that it mounts exists and is bound, and goes where all its volumes can be reached. */
export const volumeBinding: SchedulerPlugin<Reach | undefined> = {
  name: 'VolumeBinding',
  reads: [persistentvolumeclaims, persistentvolumes],
  wakesOn: ['node/added', 'node/updated'],
  prepare(pod, snapshot) {
    for (const { name, key } of pod.claims) {
      const problem = claimProblem(name, snapshot.of(persistentvolumeclaims).get(key));
      if (problem !== undefined) return { rejected: problem };
    }
    const places = volumesOf(pod, snapshot).flatMap(({ spec }) => {
      const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
      return terms === undefined ? [] : [terms];
    });
    return places.length === 0 ? abstains : { state: reachOf(places) };
  },
  filter(_, { labels, name }, state) {
    const facts = { labels, fields: { 'metadata.name': name } };
    return state === undefined || state.places.every((terms) => matchesNodeSelectorTerms(terms, facts))
      ? fits
      : elsewhere;
  },
};

const elsewhere = rejectsForGood("node(s) didn't match PersistentVolume's node affinity");

interface Reach extends PluginState {
  /** One for each volume that is not everywhere. */
  readonly places: readonly (readonly NodeSelectorTerm[])[];
}

/** Other pods change nothing about where volumes are. */
function reachOf(places: Reach['places']): Reach {
  const state: Reach = { places, with: () => state, without: () => state };
  return state;
}

function claimProblem(name: string, claim: PersistentVolumeClaim | undefined): string | undefined {
  if (claim === undefined) return `persistentvolumeclaim "${name}" not found`;
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
  if (claim.status.phase === 'Lost')
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName ?? ''}"`;
  return claim.status.phase === 'Bound' ? undefined : 'pod has unbound immediate PersistentVolumeClaims';
}
