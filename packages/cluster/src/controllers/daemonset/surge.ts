import type { Pod } from '../../api/generated/core-v1.ts';
import { podAvailable, podReady } from '../../resources/core/pod-facts.ts';
import { hashOf } from './pod.ts';
import { halvesOf, type Rollout } from './rollout.ts';
import type { Site } from './sites.ts';

/**
 * With surge a node may hold two pods, one of each revision, while the old one serves and the new one does not yet.
 * `running` stands in order of rank. Returns the pods that are too many.
 */
export function surplusWhileSurging(
  running: readonly Pod[],
  { hash, minReadySeconds, nowMs }: Rollout,
): readonly Pod[] {
  const current = running.find((pod) => hashOf(pod) === hash);
  const old = running.find((pod) => hashOf(pod) !== hash);
  const surplus = running.filter((pod) => pod !== current && pod !== old);
  if (current === undefined || old === undefined) return surplus;
  const oldIsDone = !podReady(old) || podAvailable(current, minReadySeconds, nowMs);
  return oldIsDone ? [...surplus, old] : surplus;
}

export interface Surge {
  /** Names of nodes that get a new pod beside the old one. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

interface Draft {
  /** Nodes whose old pod serves nobody: the new one costs nothing. */
  readonly free: string[];
  readonly candidates: string[];
  readonly remove: Pod[];
  /** Serving pods on nodes that should not run one any more. */
  readonly sunset: Pod[];
  used: number;
  available: number;
}

/** The next step of a rollout that starts new pods before it stops old ones. */
export function surge(
  sites: readonly Site[],
  { rollout, removed }: { readonly rollout: Rollout; readonly removed: ReadonlySet<Pod> },
): Surge {
  const draft: Draft = { free: [], candidates: [], remove: [], sunset: [], used: 0, available: 0 };
  for (const site of sites) judge(site, { rollout, removed, draft });
  const { free, candidates, used, remove, sunset, available } = draft;
  const create = [...free, ...candidates.slice(0, Math.max(0, rollout.maxSurge - used))];
  // Pods that should go altogether serve until the rest is through, and go only as far as nobody misses them.
  const isRolling = used > 0 || candidates.length > 0;
  const spare = isRolling ? 0 : Math.max(0, available - rollout.desired);
  return { create, remove: [...remove, ...sunset.slice(0, spare)] };
}

function judge(
  site: Site,
  { rollout, removed, draft }: { readonly rollout: Rollout; readonly removed: ReadonlySet<Pod>; readonly draft: Draft },
): void {
  const { hash, minReadySeconds, nowMs } = rollout;
  const { old, current, excess } = halvesOf(site, { hash, removed });
  if (excess) draft.used++;
  const counting = old ?? current;
  if (excess || counting === undefined) return;
  const available = podAvailable(counting, minReadySeconds, nowMs);
  if (available) draft.available++;
  if (old === undefined) return;
  if (current !== undefined) {
    if (podAvailable(current, minReadySeconds, nowMs)) draft.remove.push(old);
    else draft.used++;
  } else if (site.verdict.runs) (available ? draft.candidates : draft.free).push(site.node);
  else (available ? draft.sunset : draft.remove).push(old);
}
