import { persistentvolumeclaims } from '../api/generated/kinds.ts';
import type { Key } from '../api/meta.ts';
import { claimController } from '../controllers/volumes/controller.ts';
import type { Said } from './groups.ts';
import type { ExplainWorld } from './world.ts';

/** Why a claim has no volume: what its controller would say of it now. Undefined where it is bound. */
export function whyClaimWaits(key: Key, { caches, nowMs }: ExplainWorld): Said | undefined {
  const claim = caches.of(persistentvolumeclaims).get(key);
  if (claim === undefined) return { state: 'is missing', why: 'there is no such claim', mend: 'create it' };
  if (claim.metadata.deletionTimestamp !== undefined)
    return { state: 'is going', why: 'it is being deleted', mend: 'pods that mount it have to go first' };
  if (claim.status?.phase === 'Bound') return undefined;
  const observed = claimController.observe(key, caches, undefined);
  const { actions } = observed === undefined ? { actions: [] } : claimController.plan(observed, nowMs);
  for (const action of actions) if (action.do === 'emit') return { state: 'waits', why: action.note };
  return { state: 'waits', why: `its phase is ${claim.status?.phase ?? 'Pending'}` };
}
