import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Emit } from '../../runtime/plan.ts';
import type { BackingOff } from './backing-off.ts';
import type { DaemonPod } from './daemon-pod.ts';
import { type Backoff, judgeFailed } from './failed-pods.ts';
import type { Rollout } from './rollout.ts';
import type { Site, Sites } from './sites.ts';
import { surplusWhileSurging } from './surge.ts';

/** What has to change so that each node has the pod that it should have, whatever its revision. */
export interface Managed {
  /** Names of nodes. */
  readonly create: readonly string[];
  readonly remove: ReadonlySet<DaemonPod>;
  readonly events: readonly Emit[];
  /** Until the first failed pod may be replaced. */
  readonly againInMs: number | undefined;
  readonly backoffs: ReadonlyMap<string, Backoff>;
  /** Failed pods that are left alone for a while. */
  readonly backingOff: readonly BackingOff[];
}

export interface ManageOptions {
  readonly rollout: Rollout;
  readonly backoffs: ReadonlyMap<string, Backoff>;
}

interface Draft {
  readonly daemonset: DaemonSet;
  readonly rollout: Rollout;
  readonly create: string[];
  readonly remove: Set<DaemonPod>;
  readonly events: Emit[];
  readonly backoffs: Map<string, Backoff>;
  readonly backingOff: BackingOff[];
  againInMs: number | undefined;
}

export function manage(daemonset: DaemonSet, sites: Sites, { rollout, backoffs }: ManageOptions): Managed {
  const draft: Draft = {
    daemonset,
    rollout,
    create: [],
    remove: new Set(sites.strays()),
    events: [],
    backoffs: new Map(backoffs),
    backingOff: [],
    againInMs: undefined,
  };
  for (const site of sites.unsettled()) {
    const { verdict, pods } = site;
    if (pods.length === 0) {
      if (verdict.runs) draft.create.push(site.node);
    } else if (verdict.stays) tend(site, draft);
    else for (const pod of pods) if (!pod.terminating) draft.remove.add(pod);
  }
  return draft;
}

/** A node that has pods and may keep them. */
function tend(site: Site, draft: Draft): void {
  const running: DaemonPod[] = [];
  let terminating = 0;
  for (const pod of site.pods) {
    if (pod.terminating) terminating++;
    else if (pod.phase === 'Failed') replaceFailed(pod, { site, draft });
    else if (pod.phase === 'Succeeded') replaceSucceeded(pod, { site, draft });
    else running.push(pod);
  }
  const { surges } = draft.rollout;
  if (surges && site.verdict.runs && terminating === site.pods.length) draft.create.push(site.node);
  if (running.length <= 1) return;
  const surplus = surges ? surplusWhileSurging(running, draft.rollout) : running.slice(1);
  for (const pod of surplus) draft.remove.add(pod);
}

interface Place {
  readonly site: Site;
  readonly draft: Draft;
}

/** The replacement is made once the failed pod is gone. */
function replaceFailed(pod: DaemonPod, { site, draft }: Place): void {
  const { backoffs, rollout } = draft;
  const failed = judgeFailed(backoffs.get(site.node), rollout.nowMs);
  const { namespace, name } = pod.pod.metadata;
  if (!failed.replace) {
    const { waitMs, delayMs } = failed;
    draft.againInMs = Math.min(draft.againInMs ?? Number.POSITIVE_INFINITY, waitMs);
    draft.backingOff.push({ node: site.node, pod: name, delayMs, untilMs: rollout.nowMs + waitMs });
    return;
  }
  backoffs.set(site.node, failed.backoff);
  draft.remove.add(pod);
  draft.events.push({
    do: 'emit',
    regarding: draft.daemonset,
    type: 'Warning',
    reason: 'FailedDaemonPod',
    note: `Found failed daemon pod ${namespace}/${name} on node ${site.node}, will try to kill it`,
  });
}

function replaceSucceeded(pod: DaemonPod, { site, draft }: Place): void {
  draft.remove.add(pod);
  const { namespace, name } = pod.pod.metadata;
  draft.events.push({
    do: 'emit',
    regarding: draft.daemonset,
    type: 'Normal',
    reason: 'SucceededDaemonPod',
    note: `Found succeeded daemon pod ${namespace}/${name} on node ${site.node}, will try to delete it`,
  });
}
