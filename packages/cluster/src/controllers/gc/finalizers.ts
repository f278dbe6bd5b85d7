import type { KubeObject } from '../../api/meta.ts';

/** Dependents lose their reference to the object before it goes. */
export const orphanFinalizer = 'orphan';
/** Dependents go before the object does. */
export const foregroundFinalizer = 'foregroundDeletion';

/** What a deletion leaves to the collector before the object may go. */
export type Collecting = 'orphaning' | 'foreground';

export function collectingOf({ metadata }: KubeObject): Collecting | undefined {
  const { deletionTimestamp, finalizers } = metadata;
  if (deletionTimestamp === undefined || finalizers === undefined) return undefined;
  if (finalizers.includes(orphanFinalizer)) return 'orphaning';
  return finalizers.includes(foregroundFinalizer) ? 'foreground' : undefined;
}

export function isCollecting(object: KubeObject): boolean {
  return collectingOf(object) !== undefined;
}

export function isBeingDeleted({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
