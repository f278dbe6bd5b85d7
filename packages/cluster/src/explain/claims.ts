import type { PersistentVolumeClaim, Pod } from '../api/generated/core-v1.ts';
import { persistentvolumeclaims, pods } from '../api/generated/kinds.ts';
import { type Key, keyOf } from '../api/meta.ts';
import { agreeing } from '../base/counted.ts';
import { keepsClaim, type Observed } from '../controllers/volumes/claim-plan.ts';
import { claimController } from '../controllers/volumes/controller.ts';
import { claimFinalizer } from '../resources/core/persistentvolume.ts';
import type { MountedClaim } from '../resources/core/pod/claims.ts';
import { isPodTerminal } from '../resources/core/pod/facts.ts';
import type { Action, Emit } from '../runtime/plan.ts';
import { podsByClaim } from '../workloads/indexes.ts';
import { namesOf, type Said } from './groups.ts';
import { inNamespace } from './in-namespace.ts';
import type { ExplainWorld } from './world.ts';

/** `awaits`: the pods with whose node it gets a volume, where it waits for that. */
export interface ClaimSaid extends Said {
  readonly awaits?: readonly Pod[];
}

/** Why a claim has no volume: what its controller would say of it now. Undefined where it is bound. */
export function whyClaimWaits(key: Key, world: ExplainWorld): ClaimSaid | undefined {
  const { caches, nowMs } = world;
  const claim = caches.of(persistentvolumeclaims).get(key);
  if (claim === undefined) return { state: 'is missing', why: 'there is no such claim', mend: 'create the claim' };
  if (claim.metadata.deletionTimestamp !== undefined) return whyClaimStays(claim, world);
  if (claim.status?.phase === 'Bound') return undefined;
  const observed = claimController.observe(key, caches, undefined);
  const { actions } = observed === undefined ? { actions: [] } : claimController.plan(observed, nowMs);
  for (const action of actions) if (action.do === 'emit') return { state: 'waits', ...emitted(action, observed) };
  const { phase = 'Pending' } = claim.status ?? {};
  const { volumeName = '' } = claim.spec;
  if (phase === 'Lost')
    return {
      state: 'is lost',
      why: `its volume ${volumeName} is gone, or another claim has it`,
      mend: 'delete the claim and create it again: what was in the volume is not in the new one',
    };
  if (actions.some(writes)) return { state: 'waits', why: 'its controller is about to take the next step' };
  if (volumeName !== '' && observed?.volume === undefined)
    return { state: 'waits', why: `it names the volume ${volumeName}, which is not there`, mend: 'create that volume' };
  return { state: 'waits', why: `its phase is ${phase}` };
}

/**
 * As {@link whyClaimWaits}, for who asks about a pod that mounts it: nobody is sent from the pod to the claim and back. Undefined also
 * where it waits for nothing but this pod's node.
 */
export function whyMountedWaits(
  { key, isEphemeral }: MountedClaim,
  { pod, world }: { readonly pod: Pod; readonly world: ExplainWorld },
): Said | undefined {
  const said = whyClaimWaits(key, world);
  if (said?.state === 'is missing' && isEphemeral)
    return {
      state: 'is missing',
      why: 'it is made for the pod, and is not yet',
      mend: 'the controller ephemeral-volume has to run',
    };
  if (said?.awaits === undefined) return said;
  if ((pod.spec.nodeName ?? '') !== '') return { state: said.state, why: skipped, mend: mendOfSkipped };
  return said.awaits.some(({ metadata }) => metadata.uid === pod.metadata.uid) ? undefined : said;
}

const skipped =
  'a scheduler chooses its volume with the node, and the pod names its node itself (spec.nodeName), which skips the scheduler';
const mendOfSkipped = 'make the pod without spec.nodeName: a nodeSelector leads it to a node, too';

/** Why a claim that is being deleted is still there: by the rule of its controller about who uses it. */
function whyClaimStays(claim: PersistentVolumeClaim, { caches }: ExplainWorld): Said {
  const state = 'is going';
  const { finalizers = [] } = claim.metadata;
  const users = usersOf(claim, { caches }).filter((pod) => keepsClaim(pod, claim));
  if (finalizers.includes(claimFinalizer) && users.length > 0)
    return {
      state,
      why: `it is being deleted, and ${claimFinalizer} keeps it while ${namesOf(users.map(keyOf))} ${agreeing(users.length, 'uses')} it`,
      mend: users.length === 1 ? 'that pod has to go first' : 'those pods have to go first',
    };
  const others = finalizers.filter((each) => each !== claimFinalizer);
  if (others.length > 0)
    return { state, why: `finalizers keep it: ${others.join(', ')}`, mend: 'whoever set them has to take them off' };
  return { state, why: 'it is being deleted' };
}

export function usersOf(claim: PersistentVolumeClaim, { caches }: Pick<ExplainWorld, 'caches'>): readonly Pod[] {
  return caches.of(pods).by(podsByClaim, keyOf(claim));
}

function writes({ do: does }: Action): boolean {
  return does !== 'emit';
}

/** The pods' names stand in what mends it: the claims of a StatefulSet wait for the same. */
function emitted(action: Emit, observed: Observed | undefined): Omit<ClaimSaid, 'state'> {
  const users = (observed?.users ?? []).filter((pod) => !isPodTerminal(pod));
  switch (action.reason) {
    case 'WaitForPodScheduled': {
      const awaits = users.filter(({ spec }) => (spec.nodeName ?? '') === '');
      return { why: 'the pod that mounts it has to get a node first', mend: mendOf(action, observed), awaits };
    }
    case 'WaitForFirstConsumer': {
      const [first] = users;
      if (first === undefined) return { why: action.note, mend: mendOf(action, observed), awaits: [] };
      const why = `${first.metadata.name} mounts it, but names its node itself (spec.nodeName), which skips the scheduler that chooses a volume`;
      return { why, mend: mendOfSkipped, awaits: users };
    }
    default:
      return { why: action.note, mend: mendOf(action, observed) };
  }
}

function mendOf({ reason }: Emit, observed: Observed | undefined): string {
  const waiting = observed?.users.find(({ spec }) => (spec.nodeName ?? '') === '');
  switch (reason) {
    case 'WaitForFirstConsumer':
      return 'create a pod that mounts it';
    case 'WaitForPodScheduled':
      return `signalbox explain pod ${waiting?.metadata.name ?? 'NAME'}${inNamespace(waiting?.metadata ?? {})}`;
    case 'ExternalProvisioning':
      return 'see that its provisioner runs, or create a volume by hand';
    case 'ProvisioningFailed':
      return observed?.storageClass === undefined ? 'create that StorageClass, or name another one' : '';
    case 'FailedBinding':
      return 'create a volume that fits it, or a claim with a StorageClass that makes one';
    case 'VolumeMismatch':
      return 'ask for what the volume has, or for another volume';
    default:
      return '';
  }
}
