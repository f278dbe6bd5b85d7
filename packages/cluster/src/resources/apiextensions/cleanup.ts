import { mergeConditions } from '../../api/conditions.ts';
import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import { toTimestamp } from '../../base/clock.ts';

/** Keeps a deleted CustomResourceDefinition until the last of its objects is gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** The definition as its first delete leaves it: held until its objects are gone, and saying so. */
export function withCleanup(
  definition: CustomResourceDefinition,
  { nowMs }: { readonly nowMs: number },
): CustomResourceDefinition {
  const { metadata, status } = definition;
  const { finalizers = [] } = metadata;
  const terminating = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  return {
    ...definition,
    metadata: {
      ...metadata,
      finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer],
    },
    status: { ...status, conditions: mergeConditions(status?.conditions, [terminating], toTimestamp(nowMs)) },
  };
}
