import type { Pod } from '../api/generated/core-v1.ts';
import { pods } from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject, New } from '../api/meta.ts';
import { equal } from '../base/equal.ts';
import type { Create, Delete, SetStatus } from '../runtime/plan.ts';

/** Creates a pod and says so on its owner. */
export function createPod(owner: KubeObject, pod: New<Pod>): Create {
  return {
    do: 'create',
    type: pods,
    object: pod,
    announce: {
      regarding: owner,
      done: { reason: 'SuccessfulCreate', note: 'Created pod: {name}' },
      failed: { reason: 'FailedCreate', note: 'Error creating: {error}' },
    },
  };
}

/** Deletes a pod and says so on its owner. */
export function deletePod(owner: KubeObject, pod: Pod): Delete {
  return {
    do: 'delete',
    type: pods,
    target: pod,
    announce: {
      regarding: owner,
      done: { reason: 'SuccessfulDelete', note: 'Deleted pod: {name}' },
      failed: { reason: 'FailedDelete', note: 'Error deleting: {error}' },
    },
  };
}

/** Writes the status if it says something new. */
export function statusIfChanged<T extends KubeObject & { readonly status?: unknown }>(
  type: ResourceType<T>,
  { object, status }: { readonly object: T; readonly status: NonNullable<T['status']> },
): readonly SetStatus[] {
  if (equal(object.status, status)) return [];
  return [{ do: 'setStatus', type, object: { ...object, status } }];
}
