import type { DaemonSet, Deployment, Job, KubeObject, Pod, StatefulSet } from '@signalbox/cluster';

export type Workload = DaemonSet | Deployment | StatefulSet;

/** How far a workload has come, by the same signs that `kubectl rollout status` goes by. */
export interface Progress {
  readonly ready: number;
  readonly wanted: number;
  /** Empty: it is done. */
  readonly waitsFor: string;
}

export function isWorkload(object: KubeObject): object is Workload {
  return object.apiVersion === 'apps/v1' && ['DaemonSet', 'Deployment', 'StatefulSet'].includes(object.kind);
}

export function progressOf(workload: Workload): Progress {
  const { ready, wanted } = countsOf(workload);
  const seen = workload.status?.observedGeneration ?? 0;
  if (seen < (workload.metadata.generation ?? 0))
    return { ready, wanted, waitsFor: 'its controller has not seen it yet' };
  if (ready < wanted) return { ready, wanted, waitsFor: `${ready} of ${wanted} pods ready` };
  const updated = updatedOf(workload);
  return { ready, wanted, waitsFor: updated < wanted ? `${updated} of ${wanted} pods updated` : '' };
}

function countsOf(workload: Workload): { readonly ready: number; readonly wanted: number } {
  switch (workload.kind) {
    case 'DaemonSet': {
      const { status } = workload as DaemonSet;
      return { ready: status?.numberAvailable ?? 0, wanted: status?.desiredNumberScheduled ?? 0 };
    }
    default: {
      const { spec, status } = workload as Deployment | StatefulSet;
      return { ready: status?.availableReplicas ?? 0, wanted: spec.replicas ?? 1 };
    }
  }
}

/** Pods of the newest template, as far as anybody brings them about. */
function updatedOf(workload: Workload): number {
  switch (workload.kind) {
    case 'DaemonSet': {
      const { spec, status } = workload as DaemonSet;
      return spec.updateStrategy?.type === 'OnDelete' ? Infinity : (status?.updatedNumberScheduled ?? 0);
    }
    case 'StatefulSet': {
      const { spec, status } = workload as StatefulSet;
      const { type, rollingUpdate } = spec.updateStrategy ?? {};
      return type === 'OnDelete' ? Infinity : (status?.updatedReplicas ?? 0) + (rollingUpdate?.partition ?? 0);
    }
    default:
      return (workload as Deployment).status?.updatedReplicas ?? 0;
  }
}

export interface JobProgress {
  readonly state: 'complete' | 'failed' | 'suspended' | 'running';
  /** `2 of 3 succeeded`. */
  readonly how: string;
  /** Why it has failed: reason and message of its condition. Empty otherwise. */
  readonly failure: string;
}

export function progressOfJob({ spec, status }: Job): JobProgress {
  const { succeeded = 0, conditions = [] } = status ?? {};
  const how =
    spec.completions === undefined ? `${succeeded} succeeded` : `${succeeded} of ${spec.completions} succeeded`;
  const condition = (type: string) => conditions.find((each) => each.type === type && each.status === 'True');
  if (condition('Complete') !== undefined) return { state: 'complete', how, failure: '' };
  const failed = condition('Failed');
  if (failed !== undefined)
    return { state: 'failed', how, failure: [failed.reason, failed.message].filter(Boolean).join(': ') };
  return { state: spec.suspend === true ? 'suspended' : 'running', how, failure: '' };
}

/** Why a pod is not ready, in the words of whoever holds it up: scheduler, node, container. Undefined: it is ready. */
export function podProblem({ metadata, status }: Pod): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  const condition = (type: string): { readonly status: string; readonly message?: string } | undefined =>
    status?.conditions?.find((each) => each.type === type);
  if (condition('Ready')?.status === 'True') return undefined;
  const scheduled = condition('PodScheduled');
  if (scheduled?.status === 'False') return scheduled.message ?? 'no node has been found for it';
  for (const { name, state } of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const held = state?.waiting ?? state?.terminated;
    if (held !== undefined && held.reason !== 'Completed')
      return `container ${name}: ${[held.reason, held.message].filter((part) => part !== undefined).join(': ')}`;
  }
  return (
    condition('Ready')?.message ?? (scheduled === undefined ? 'it waits for a node' : 'its containers are not ready')
  );
}
