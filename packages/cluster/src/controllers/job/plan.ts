import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { jobs } from '../../api/generated/kinds.ts';
import { isTracked, jobCondition, jobEnd } from '../../resources/batch/facts.ts';
import type { Action, Plan } from '../../runtime/plan.ts';
import { deletePod, statusIfChanged } from '../../workloads/actions.ts';
import type { Claims } from '../../workloads/claim.ts';
import { sooner } from '../../workloads/phase.ts';
import { isDecided, type Ledger, ledgerOf } from './ledger.ts';
import { claimPods, takeBack, takenBackIn, untrack } from './pods.ts';
import { type Scaling, scale } from './scale.ts';
import { type Told, tell } from './status.ts';
import { deadlineInMs, verdictOn } from './verdict.ts';

export interface Observed {
  /** Undefined: it is gone, and has left pods that wait to be counted. */
  readonly job: Job | undefined;
  readonly pods: Claims<Pod>;
  /** Pods that carry the finalizer for a Job that is not there any more. */
  readonly strays: readonly Pod[];
}

const nothing: Scaling = Object.freeze({ actions: [] });

export function plan({ job, pods: claims, strays }: Observed, nowMs: number): Plan {
  const letGo = strays.map(untrack);
  if (job === undefined) return { actions: letGo };
  const pods = claims.claimed;
  if (job.metadata.deletionTimestamp !== undefined || jobEnd(job) !== undefined)
    return { actions: [...letGo, ...pods.filter(isTracked).map(untrack)] };
  const ledger = ledgerOf(job, pods);
  const verdict = verdictOn(job, { ledger, pods, nowMs });
  const told = tell(job, { ledger, pods, verdict, nowMs });
  const scaling = verdict === undefined ? scale(job, { ledger, nowMs }) : nothing;
  // What follows from a decision follows when it is written down: whoever starts again must not decide otherwise.
  const stops = isDecided(job) ? stopsOf(job, ledger) : [];
  return {
    actions: [
      ...letGo,
      ...claimPods(job, claims, new Set([...scaling.actions, ...stops].flatMap(takenBackIn))),
      ...scaling.actions,
      ...stops,
      ...ledger.settled.map(untrack),
      ...statusActions(job, told),
    ],
    againInMs: verdict === undefined ? sooner(scaling.againInMs, deadlineInMs(job, nowMs)) : undefined,
  };
}

/** What is stopped because the Job fails counts as failed, what is stopped because it succeeds does not. */
function stopsOf(job: Job, { active }: Ledger): readonly Action[] {
  const fails = jobCondition(job, 'FailureTarget') !== undefined;
  return active.map((pod) => (fails ? deletePod(job, pod) : takeBack(job, pod)));
}

function statusActions(job: Job, { status, events }: Told): readonly Action[] {
  const writes = statusIfChanged(jobs, { object: job, status });
  if (events.length === 0 || writes.length === 0) return writes;
  return [{ do: 'inOrder', actions: [...writes, ...events] }];
}
