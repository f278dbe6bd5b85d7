import type { PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, persistentvolumes, storageclasses } from '../../api/generated/kinds.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import { controllerOf } from '../../api/meta.ts';
import { matchesNodeSelectorTerms } from '../../api/selector/selector.ts';
import { assert } from '../../base/assert.ts';
import type { MountedClaim } from '../../resources/core/pod/claims.ts';
import { classOfClaim } from '../../resources/core/volume-binding.ts';
import type { NodeView } from '../node-view.ts';
import { abstains, fits, type PluginState, type Reason, rejectsWith, type SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';
import type { Snapshot } from '../snapshot.ts';
import { chooseVolumes, type OpenClaim, openClaims } from '../volumes/choice.ts';
import { groundworkOf } from '../volumes/groundwork.ts';
import { type Place, whyLacking } from '../volumes/lacks.ts';
import { somewhere, volumesOf } from './volumes.ts';

export interface VolumeBindingArgs {
  /** How long a pod waits for the volumes that were chosen with its node, before it is tried again. */
  readonly bindTimeoutSeconds: number;
}

/**
 * A pod goes where all its volumes can be reached. Claims whose class waits for their first pod get their volumes with the
 * node: one that is there and can be reached from it, or one that is made there. All others have to be bound before.
 */
export function volumeBinding({ bindTimeoutSeconds }: VolumeBindingArgs): SchedulerPlugin<Reach | undefined> {
  return {
    name: 'VolumeBinding',
    reads: [persistentvolumeclaims, persistentvolumes, storageclasses],
    wakesOn: ['node/added', 'node/updated'],
    prepare(pod, snapshot) {
      if (pod.claims.length === 0) return abstains;
      const open: Open[] = [];
      for (const mounted of pod.claims) {
        const found = stateOf(mounted, { pod, snapshot });
        if (typeof found === 'string') return { rejected: found };
        if (found !== undefined) open.push(found);
      }
      const places = volumesOf(pod, snapshot).flatMap(({ name, volume: { spec } }) => {
        const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
        return terms === undefined ? [] : [{ name, terms }];
      });
      if (places.length === 0 && open.length === 0) return abstains;
      return { state: reachOf({ places, open: openClaims(open, snapshot) }, snapshot) };
    },
    filter: (_, node, state) => (state === undefined ? fits : rejectsWith(reasonsOn(node, state))),
    details: (pod, node, state) => (state === undefined ? [] : whyLacking(pod, node, state)),
    beforeBinding(_, node, { snapshot, state }) {
      if (state === undefined || state.open.length === 0) return undefined;
      const choices = chooseVolumes(node, state.open);
      assert(choices !== undefined, 'the node that was chosen has volumes for all claims', { node: node.name });
      return groundworkOf(node, { open: state.open, choices, snapshot, limitMs: bindTimeoutSeconds * 1000 });
    },
  };
}

const elsewhere: Reason = { text: "node(s) didn't match PersistentVolume's node affinity", resolvable: false };
const nothingThere: Reason = { text: "node(s) didn't find available persistent volumes to bind", resolvable: false };

interface Volumes {
  /** One for each volume that is not everywhere. */
  readonly places: readonly Place[];
  readonly open: readonly OpenClaim[];
}

interface Reach extends PluginState, Volumes {
  /** All of it from any node. */
  isReached(): boolean;
}

function reasonsOn(node: NodeView, { places, open }: Volumes): readonly Reason[] {
  const reasons: Reason[] = [];
  const facts = { labels: node.labels, fields: { 'metadata.name': node.name } };
  if (!places.every(({ terms }) => matchesNodeSelectorTerms(terms, facts))) reasons.push(elsewhere);
  if (chooseVolumes(node, open) === undefined) reasons.push(nothingThere);
  return reasons;
}

/** Other pods change nothing about where volumes are. */
function reachOf(volumes: Volumes, snapshot: Snapshot): Reach {
  const isReached = somewhere(snapshot, (node) => reasonsOn(node, volumes).length === 0);
  const state: Reach = { ...volumes, isReached, with: () => state, without: () => state };
  return state;
}

interface Open {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
}

/** Why the claim keeps its pod from all nodes; or that it waits for its pod; undefined: it is bound. */
function stateOf(
  { name, key, isEphemeral }: MountedClaim,
  { pod, snapshot }: { readonly pod: PodView; readonly snapshot: Snapshot },
): string | Open | undefined {
  const claim = snapshot.of(persistentvolumeclaims).get(key);
  if (claim === undefined)
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`;
  const { volumeName = '' } = claim.spec;
  if (claim.status.phase === 'Lost')
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${volumeName}"`;
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
  // Somebody may have made a claim of the name by hand.
  if (isEphemeral && controllerOf(claim)?.uid !== pod.uid)
    return `PVC ${key} was not created for pod ${pod.key} (pod is not owner)`;
  if (claim.status.phase === 'Bound') return undefined;
  const storageClass = snapshot.of(storageclasses).get(classOfClaim(claim) ?? '');
  return volumeName === '' && storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
    ? { claim, storageClass }
    : 'pod has unbound immediate PersistentVolumeClaims';
}
