import type { Pod } from '../api/generated/core-v1.ts';
import { persistentvolumeclaims } from '../api/generated/kinds.ts';
import { selectedNodeAnnotation } from '../resources/core/volume-binding.ts';
import { podView } from '../scheduler/pod-view.ts';
import { whyClaimWaits } from './claims.ts';
import type { Said } from './groups.ts';
import type { ExplainWorld } from './world.ts';

/** Why a pod is not bound although the scheduler has chosen its node: a volume is made for it there first. */
export function awaitedVolume(pod: Pod, world: ExplainWorld): Pick<Said, 'why' | 'mend'> | undefined {
  for (const { key } of podView(pod).claims) {
    const claim = world.caches.of(persistentvolumeclaims).get(key);
    if (claim?.metadata.annotations?.[selectedNodeAnnotation] === undefined) continue;
    const said = whyClaimWaits(key, world);
    // Without names, which differ in the pods of one StatefulSet.
    if (said !== undefined)
      return { why: `its node is chosen, and a volume has to be made there first: ${said.why}`, mend: said.mend ?? '' };
  }
  return undefined;
}
