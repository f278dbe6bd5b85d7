import type { PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, persistentvolumes } from '../../api/generated/kinds.ts';
import type { Caches } from '../../client/cache.ts';
import { promisedTo, selectedNodeAnnotation } from '../../resources/core/volume-binding.ts';
import type { Action } from '../../runtime/plan.ts';
import type { Groundwork, Standing } from '../groundwork.ts';
import type { NodeView } from '../node-view.ts';
import type { Snapshot } from '../snapshot.ts';
import { type OpenClaim, reaches } from './choice.ts';
import type { VolumeChoice } from './held-volumes.ts';

/** Promises volumes that are there, asks for those that are not, and waits until every claim has one. */
export function groundworkOf(
  node: NodeView,
  {
    open,
    choices,
    snapshot,
    limitMs,
  }: {
    readonly open: readonly OpenClaim[];
    readonly choices: readonly VolumeChoice[];
    readonly snapshot: Snapshot;
    readonly limitMs: number;
  },
): Groundwork {
  const chosen = new Map(choices.map((choice) => [choice.claim, choice]));
  return {
    by: 'VolumeBinding',
    doing: 'binding volumes',
    holds: choices,
    actions: open.flatMap((each) => {
      const choice = chosen.get(each.key);
      // Who decided first writes it.
      return choice === undefined || choice === each.held ? [] : actionsFor(each, { choice, snapshot });
    }),
    standing: (caches) => standingOf(choices, { node, caches }),
    limitMs,
  };
}

function actionsFor(
  { claim }: OpenClaim,
  { choice, snapshot }: { readonly choice: VolumeChoice; readonly snapshot: Snapshot },
): readonly Action[] {
  if ('volume' in choice) {
    const volume = snapshot.of(persistentvolumes).get(choice.volume);
    const promised = volume && promisedTo(claim, volume);
    return promised === undefined || promised === volume
      ? []
      : [{ do: 'update', type: persistentvolumes, object: promised }];
  }
  if (claim.metadata.annotations?.[selectedNodeAnnotation] === choice.onNode) return [];
  const annotations = { ...claim.metadata.annotations, [selectedNodeAnnotation]: choice.onNode };
  const object: PersistentVolumeClaim = { ...claim, metadata: { ...claim.metadata, annotations } };
  return [{ do: 'update', type: persistentvolumeclaims, object }];
}

interface Looking {
  readonly node: NodeView;
  readonly caches: Caches;
}

function standingOf(choices: readonly VolumeChoice[], looking: Looking): Standing {
  let isWaiting = false;
  for (const choice of choices) {
    const standing = standingOfOne(choice, looking);
    if (typeof standing === 'object') return standing;
    if (standing === 'waits') isWaiting = true;
  }
  return isWaiting ? 'waits' : 'done';
}

function standingOfOne(choice: VolumeChoice, { node, caches }: Looking): Standing {
  const claim = caches.of(persistentvolumeclaims).get(choice.claim);
  const [, name = ''] = choice.claim.split('/');
  if (claim === undefined) return { failed: `persistentvolumeclaim "${name}" not found` };
  if (claim.metadata.deletionTimestamp !== undefined)
    return { failed: `persistentvolumeclaim "${name}" is being deleted` };
  const { volumeName = '' } = claim.spec;
  const isMade = 'onNode' in choice;
  // Whoever cannot make the volume there takes the mark away, so that another node is chosen.
  if (isMade && volumeName === '' && claim.metadata.annotations?.[selectedNodeAnnotation] !== node.name)
    return { failed: `provisioning failed for PVC "${name}"` };
  const volume = caches.of(persistentvolumes).get(volumeName === '' && !isMade ? choice.volume : volumeName);
  if (volume === undefined)
    return isMade || volumeName !== '' ? 'waits' : { failed: 'failed to check pv binding: the volume is gone' };
  if (!isMade && (volume.spec.claimRef?.uid ?? '') === '')
    return { failed: `ClaimRef got reset for pv "${volume.metadata.name}"` };
  if (!reaches(node, volume))
    return {
      failed: `pv "${volume.metadata.name}" node affinity doesn't match node "${node.name}": no matching NodeSelectorTerms`,
    };
  return claim.status.phase === 'Bound' ? 'done' : 'waits';
}
