import { type DaemonPod, isAvailable } from './daemon-pod.ts';
import { halvesOf, type Rolling, type Rollout, type Step } from './rollout.ts';
import type { Site } from './sites.ts';

/**
 * The old pods to delete now, without surge. Pods that serve nobody go at once, whatever the budget; of those that serve,
 * as many as may be unavailable. Their replacements are made when they are gone.
 */
export function replacements(
  { restless, old: oldServing, firstOld }: Rolling,
  { rollout, removed }: { readonly rollout: Rollout; readonly removed: ReadonlySet<DaemonPod> },
): Step {
  const { hash, maxUnavailable } = rollout;
  const broken: DaemonPod[] = [];
  const serving: DaemonPod[] = [];
  const inTheWay: Site[] = [];
  for (const site of restless) {
    const { old, current, excess } = halvesOf(site, { hash, removed });
    const only = old ?? current;
    if (only === undefined) {
      if (site.verdict.runs) inTheWay.push(site);
    } else if (excess || (old !== undefined && current !== undefined)) inTheWay.push(site);
    else if (isAvailable(only, rollout)) {
      if (only === old) serving.push(only);
    } else {
      inTheWay.push(site);
      if (only === old) broken.push(only);
    }
  }
  const mayGo = Math.max(0, maxUnavailable - inTheWay.length);
  const going = serving.slice(0, mayGo);
  const remove = [...broken, ...going, ...firstOld(mayGo - going.length)];
  return { create: [], remove, inTheWay, waiting: serving.length + oldServing };
}
