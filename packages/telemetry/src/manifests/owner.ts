import { apiVersionOf, type KubeObject, type OwnerReference, type ResourceType } from '@signalbox/cluster';

/**
 * The reference by which a root owns what is made for it: deleting the root deletes it, and changing it wakes the root.
 * None for a root that no server has seen yet, since it has no uid to point at.
 */
export function ownerReferences(root: KubeObject, type: ResourceType): readonly OwnerReference[] | undefined {
  const { name, uid } = root.metadata;
  if (uid === undefined || uid === '') return undefined;
  return [{ apiVersion: apiVersionOf(type), kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true }];
}

/** The reference of one root among several that share an object: it goes when the last of them does. */
export function sharedOwnerReferences(root: KubeObject, type: ResourceType): readonly OwnerReference[] | undefined {
  const { name, uid } = root.metadata;
  if (uid === undefined || uid === '') return undefined;
  return [{ apiVersion: apiVersionOf(type), kind: type.kind, name, uid }];
}

/** Annotations of a root as its workloads inherit them: without those by which other tools keep track of the root itself. */
export function inheritedAnnotations(root: KubeObject): Readonly<Record<string, string>> {
  const own = Object.entries(root.metadata.annotations ?? {});
  return Object.fromEntries(own.filter(([key]) => !trackers.some((prefix) => key.startsWith(prefix))));
}

const trackers: readonly string[] = [
  'kubectl.kubernetes.io/',
  'argocd.argoproj.io/',
  'meta.helm.sh/',
  'signalbox.dev/',
];
