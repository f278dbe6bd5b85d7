import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/generated/core-v1.ts';
import {
  persistentvolumeclaims,
  persistentvolumes,
  resourceslices,
  volumeattachments,
} from '../../../api/generated/kinds.ts';
import type { ResourceType } from '../../../api/gvk.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { isMirrorPod, podReferences, sourceSecrets } from '../../../resources/core/pod/references.ts';
import type { AuthorizerWorld } from '../../context/authorizer.ts';
import { objectKey, resourcePrefix } from '../../context/keys.ts';

/** What belongs to a node through the pods that are bound to it. */
export type Related =
  | 'pods'
  | 'secrets'
  | 'configmaps'
  | 'serviceaccounts'
  | 'persistentvolumeclaims'
  | 'persistentvolumes'
  | 'resourceclaims'
  | 'resourceslices'
  | 'volumeattachments';

export interface Relation {
  readonly node: string;
  readonly what: Related;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Whether a pod on the node names the object, or a volume that such a pod claims does. */
export function concernsNode(world: AuthorizerWorld, { node, what, namespace, name }: Relation): boolean {
  if (what === 'volumeattachments') return nodeNameIn(world, volumeattachments as ResourceType, name) === node;
  if (what === 'resourceslices') return nodeNameIn(world, resourceslices as ResourceType, name) === node;
  for (const pod of world.podsOf(node)) {
    const isNear = namespace === undefined || pod.metadata.namespace === namespace;
    if (isNear && names(pod, what, name)) return true;
    if (what === 'persistentvolumes' && volumesOf(world, pod).some(({ metadata }) => metadata.name === name))
      return true;
    if (what === 'secrets' && volumesOf(world, pod).some((volume) => hasSecret(volume, { namespace, name })))
      return true;
  }
  return false;
}

function names(pod: Pod, what: Related, name: string): boolean {
  switch (what) {
    case 'pods':
      return pod.metadata.name === name;
    case 'secrets':
      return podReferences(pod).secrets.has(name);
    case 'configmaps':
      return podReferences(pod).configmaps.has(name);
    case 'serviceaccounts':
      return podReferences(pod).serviceAccount === name;
    case 'persistentvolumeclaims':
      return podReferences(pod).claims.has(name);
    case 'resourceclaims':
      return claimsDevices(pod, name);
    case 'persistentvolumes':
    case 'resourceslices':
    case 'volumeattachments':
      return false;
    default:
      return what satisfies never;
  }
}

/** By its name, or as what was made for it of a template or of what its containers need. */
function claimsDevices(pod: Pod, name: string): boolean {
  const { spec, status } = pod;
  if (isMirrorPod(pod)) return false;
  return (
    status?.extendedResourceClaimStatus?.resourceClaimName === name ||
    (spec.resourceClaims ?? []).some(({ resourceClaimName }) => resourceClaimName === name) ||
    (status?.resourceClaimStatuses ?? []).some(({ resourceClaimName }) => resourceClaimName === name)
  );
}

/** The volumes that a pod's claims are bound to. */
function volumesOf(world: AuthorizerWorld, pod: Pod): readonly PersistentVolume[] {
  return [...podReferences(pod).claims].flatMap((claimName) => {
    const claim = read<PersistentVolumeClaim>(world, persistentvolumeclaims, [pod.metadata.namespace, claimName]);
    const volumeName = claim?.spec.volumeName ?? '';
    const volume =
      volumeName === '' ? undefined : read<PersistentVolume>(world, persistentvolumes, [undefined, volumeName]);
    return volume === undefined ? [] : [volume];
  });
}

function hasSecret(
  { spec }: PersistentVolume,
  { namespace, name }: { readonly namespace: string | undefined; readonly name: string },
): boolean {
  for (const secret of sourceSecrets(spec))
    if (secret.name === name && (secret.namespace ?? spec.claimRef?.namespace) === namespace) return true;
  return false;
}

/** Whose attachment it is, or whose devices it lists. */
function nodeNameIn(world: AuthorizerWorld, type: ResourceType, name: string): string | undefined {
  type Named = KubeObject & { readonly spec: { readonly nodeName?: string } };
  return read<Named>(world, type, [undefined, name])?.spec.nodeName;
}

function read<T extends KubeObject>(
  { store }: AuthorizerWorld,
  type: ResourceType,
  [namespace, name]: readonly [string | undefined, string],
): T | undefined {
  return store.get(objectKey(resourcePrefix(type), namespace, name))?.value as T | undefined;
}
