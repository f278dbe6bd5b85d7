import type { Pod } from '../api/generated/core-v1.ts';
import { persistentvolumeclaims } from '../api/generated/kinds.ts';
import { podView } from '../scheduler/pod-view.ts';
import { hasBegun } from './attachments.ts';
import { whyMountedWaits } from './claims.ts';
import type { Said } from './groups.ts';
import type { ExplainWorld } from './world.ts';

/** Which claim of a pod that has its node has no volume, so that no container begins. By what the pod calls it: that is alike in all of a template. */
export function whyUnclaimed(pod: Pod, world: ExplainWorld): Pick<Said, 'why' | 'mend'> | undefined {
  if (hasBegun(pod)) return undefined;
  for (const mounted of podView(pod).claims) {
    if (world.caches.of(persistentvolumeclaims).get(mounted.key)?.status.phase === 'Bound') continue;
    const said = whyMountedWaits(mounted, { pod, world });
    if (said === undefined) continue;
    const { state, why = '', mend = '' } = said;
    return { why: `the claim of its volume ${mounted.volume} ${state}: ${why}`, mend };
  }
  return undefined;
}
