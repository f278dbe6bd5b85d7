/** Pods that a node runs while the API knows nothing of them, as a kubelet runs those of its folder before there is an API. */
import type { Pod } from '../api/generated/core-v1.ts';
import { pods } from '../api/generated/kinds.ts';
import { root } from '../api/issue.ts';
import type { New } from '../api/meta.ts';
import { checkSchema, typeErrorStatus } from '../api/schema/check.ts';
import { schemaOf } from '../api/schema/node.ts';
import { invalid, StatusError } from '../api/status.ts';
import { toTimestamp } from '../base/clock.ts';
import { freeze } from '../base/freeze.ts';
import { defaultPod } from '../resources/core/pod/defaults.ts';
import { validatePod, validatePodCreate } from '../resources/core/pod/validation/spec.ts';
import { validateMetadata } from '../resources/validation/metadata.ts';
import type { NodeDriver } from './driver.ts';
import { tend } from './tend.ts';

/** What the API would make of it before it asks anybody else. Throws its refusal. */
export function checkedPod(given: New<Pod>): Pod {
  const { object, typeErrors } = checkSchema(given, schemaOf('io.k8s.api.core.v1.Pod'), { unknownFields: 'prune' });
  if (typeErrors.length > 0) throw new StatusError(typeErrorStatus(pods, typeErrors));
  const pod = defaultPod(object as Pod);
  const issues = [
    ...validateMetadata(pod.metadata, root('metadata'), { namespaced: true }),
    ...validatePod(pod, root),
    ...validatePodCreate(pod, root),
  ];
  if (issues.length > 0) throw new StatusError(invalid(pods, pod.metadata.name, issues));
  return freeze(pod);
}

/** As the API would show it, if it knew of it. */
export function podAlone(checked: Pod, { uid, nowMs }: { readonly uid: string; readonly nowMs: number }): Pod {
  const metadata = { ...checked.metadata, uid, resourceVersion: '0', creationTimestamp: toTimestamp(nowMs) };
  return freeze({ ...checked, metadata });
}

/** As somebody's delete would leave it. */
export function endingAlone(pod: Pod, nowMs: number): Pod {
  if (pod.metadata.deletionTimestamp !== undefined) return pod;
  const deletionGracePeriodSeconds = Number(pod.spec.terminationGracePeriodSeconds ?? 30);
  const deletionTimestamp = toTimestamp(nowMs + 1_000 * deletionGracePeriodSeconds);
  return freeze({ ...pod, metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds } });
}

export interface AloneTerms {
  readonly driver: NodeDriver;
  readonly hostIp: string;
  readonly nowMs: number;
}

/** Gives the driver its orders, and keeps what the API would be told with the pod. Undefined: nothing of it runs any more. */
export function tendAlone(pod: Pod, { driver, hostIp, nowMs }: AloneTerms): Pod | undefined {
  const { action } = tend(pod, { driver, hostIp, nowMs, stoppingMs: undefined });
  switch (action?.do) {
    case 'report':
      return freeze({ ...pod, status: action.status });
    case 'remove':
      driver.forget(pod);
      return undefined;
    case undefined:
    case 'start':
    case 'stop':
      return pod;
    default:
      return action satisfies never;
  }
}
