import type { KubeObject, OwnerReference } from '../api/meta.ts';

/** How an object names the one that manages it. A foreground deletion of the owner waits for it. */
export function controllerReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
