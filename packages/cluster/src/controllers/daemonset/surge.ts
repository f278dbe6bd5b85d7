import { type DaemonPod, isAvailable } from './daemon-pod.ts';
import { halvesOf, type Rolling, type Rollout, type Step } from './rollout.ts';
import type { Site } from './sites.ts';

/**
 * With surge a node may hold two pods, one of each revision, while the old one serves and the new one does not yet.
 * `running` stands in order of rank. Returns the pods that are too many.
 */
export function surplusWhileSurging(running: readonly DaemonPod[], rollout: Rollout): readonly DaemonPod[] {
  const current = running.find((pod) => pod.hash === rollout.hash);
  const old = running.find((pod) => pod.hash !== rollout.hash);
  const surplus = running.filter((pod) => pod !== current && pod !== old);
  if (current === undefined || old === undefined) return surplus;
  const oldIsDone = !old.ready || isAvailable(current, rollout);
  return oldIsDone ? [...surplus, old] : surplus;
}

interface Draft {
  /** Nodes whose old pod serves nobody: the new one costs nothing. */
  readonly free: string[];
  readonly candidates: string[];
  readonly remove: DaemonPod[];
  /** Serving pods on nodes that should not run one any more. */
  readonly sunset: DaemonPod[];
  readonly inTheWay: Site[];
  available: number;
}

/** The next step of a rollout that starts new pods before it stops old ones. */
export function surge(
  { restless, current, old, firstOld }: Rolling,
  { rollout, removed }: { readonly rollout: Rollout; readonly removed: ReadonlySet<DaemonPod> },
): Step {
  const draft: Draft = { free: [], candidates: [], remove: [], sunset: [], inTheWay: [], available: current + old };
  for (const site of restless) judge(site, { rollout, removed, draft });
  const { free, candidates, inTheWay, remove, sunset, available } = draft;
  const mayCome = Math.max(0, rollout.maxSurge - inTheWay.length);
  const coming = candidates.slice(0, mayCome);
  const others = firstOld(mayCome - coming.length).flatMap(({ target }) => target ?? []);
  // Pods that should go altogether go as far as nobody misses them, also while the rest is stuck.
  const spare = Math.max(0, available - rollout.desired);
  return {
    create: [...free, ...coming, ...others],
    remove: [...remove, ...sunset.slice(0, spare)],
    inTheWay,
    waiting: candidates.length + old,
  };
}

function judge(
  site: Site,
  {
    rollout,
    removed,
    draft,
  }: { readonly rollout: Rollout; readonly removed: ReadonlySet<DaemonPod>; readonly draft: Draft },
): void {
  const { old, current, excess } = halvesOf(site, { hash: rollout.hash, removed });
  if (excess) draft.inTheWay.push(site);
  const counting = old ?? current;
  if (excess || counting === undefined) return;
  const available = isAvailable(counting, rollout);
  if (available) draft.available++;
  if (old === undefined) return;
  if (current !== undefined) {
    if (isAvailable(current, rollout)) draft.remove.push(old);
    else draft.inTheWay.push(site);
  } else if (site.verdict.runs) (available ? draft.candidates : draft.free).push(site.node);
  else (available ? draft.sunset : draft.remove).push(old);
}
