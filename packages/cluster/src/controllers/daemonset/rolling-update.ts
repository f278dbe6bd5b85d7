import { type DaemonPod, isAvailable } from './daemon-pod.ts';
import { halvesOf, type Rollout } from './rollout.ts';
import type { Site } from './sites.ts';

/**
 * The old pods to delete now, without surge. Pods that serve nobody go at once, whatever the budget; of those that serve,
 * as many as may be unavailable. Their replacements are made when they are gone.
 */
export function replacements(
  sites: readonly Site[],
  { rollout, removed }: { readonly rollout: Rollout; readonly removed: ReadonlySet<DaemonPod> },
): readonly DaemonPod[] {
  const { hash, maxUnavailable } = rollout;
  const broken: DaemonPod[] = [];
  const serving: DaemonPod[] = [];
  let unavailable = 0;
  for (const site of sites) {
    const { old, current, excess } = halvesOf(site, { hash, removed });
    const only = old ?? current;
    if (only === undefined) {
      if (site.verdict.runs) unavailable++;
    } else if (excess || (old !== undefined && current !== undefined)) unavailable++;
    else if (isAvailable(only, rollout)) {
      if (only === old) serving.push(only);
    } else {
      unavailable++;
      if (only === old) broken.push(only);
    }
  }
  return [...broken, ...serving.slice(0, Math.max(0, maxUnavailable - unavailable))];
}
