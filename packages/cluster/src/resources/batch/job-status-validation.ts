import type { Job, JobStatus } from '../../api/generated/batch-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { validateNotNegative } from '../apps/workload-validation.ts';

/** What a status says of its pods can be so. What has not changed is let be: the spec may have changed below it. */
export function* validateJobStatus(next: Job, current: Job, root: FieldPath): Iterable<Issue> {
  const at = root('status');
  const status = next.status ?? {};
  yield* validateNotNegative(status, at, ['active', 'succeeded', 'failed', 'ready', 'terminating']);
  yield* uncountedIssues(status, at('uncountedTerminatedPods'));
  const { ready, active = 0 } = status;
  const isSame = ready === current.status?.ready && active === (current.status?.active ?? 0);
  if (!isSame && ready !== undefined && ready > active)
    yield at('ready').invalid(ready, 'cannot set more ready pods than active');
}

/** Each pod that is still to be counted has ended once. */
function* uncountedIssues({ uncountedTerminatedPods = {} }: JobStatus, at: FieldPath): Iterable<Issue> {
  const seen = new Set<string>();
  for (const field of ['succeeded', 'failed'] as const)
    for (const [index, uid] of (uncountedTerminatedPods[field] ?? []).entries()) {
      if (uid === '') yield at(field, index).invalid(uid, 'must not be empty');
      else if (seen.has(uid)) yield at(field, index).duplicate(uid);
      seen.add(uid);
    }
}
