/** What controllers ask of Jobs and of their pods. */
import { conditionOf } from '../../api/conditions.ts';
import type { Job, JobCondition } from '../../api/generated/batch-v1.ts';
import type { KubeObject } from '../../api/meta.ts';

/** On a pod whose end its Job has not counted yet. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

export const jobNameLabel = 'batch.kubernetes.io/job-name';
/** The same as older clients know it. */
export const jobNameLabelLegacy = 'job-name';

/** Which index of an Indexed Job a pod is; a label and an annotation. */
export const completionIndexKey = 'batch.kubernetes.io/job-completion-index';

export function jobCondition({ status }: Job, type: string): JobCondition | undefined {
  const condition = conditionOf(status?.conditions, type);
  return condition?.status === 'True' ? condition : undefined;
}

/** How the Job has ended: `Complete` or `Failed`. Undefined while it has not. */
export function jobEnd(job: Job): JobCondition | undefined {
  return jobCondition(job, 'Complete') ?? jobCondition(job, 'Failed');
}

export function isTracked({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) === true;
}
