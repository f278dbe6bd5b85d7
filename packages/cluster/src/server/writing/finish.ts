import type { KubeObject } from '../../api/meta.ts';
import type { Traits } from '../../resources/resource.ts';

interface Finalizing extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
}

/** Whether nothing holds the object back any more: it is being deleted, nobody's finalizer is left, no grace is left. */
export function isFinished({ heldBySpec }: Traits, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return false;
  if (heldBySpec) return !hasContentFinalizer(object);
  return deletionGracePeriodSeconds === 0;
}

/** A namespace is held by `spec.finalizers` until its content is gone. */
export function hasContentFinalizer(namespace: KubeObject): boolean {
  return ((namespace as Finalizing).spec?.finalizers ?? []).length > 0;
}
