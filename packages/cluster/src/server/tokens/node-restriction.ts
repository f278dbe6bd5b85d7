import type { BoundObjectReference } from '../../api/generated/authentication-v1.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../../api/generated/core-v1.ts';
import { csidrivers, persistentvolumeclaims, persistentvolumes } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import { nodeNameOf } from '../../api/identities.ts';
import type { User } from '../../api/operation.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey, resourcePrefix } from '../context/keys.ts';

export interface NodeTokenRequest {
  readonly ref: BoundObjectReference | undefined;
  /** That it is for, where it is for one. */
  readonly pod: Pod | undefined;
  /** As they were sent. */
  readonly audiences: readonly string[];
  readonly account: { readonly namespace: string; readonly name: string };
}

type World = Pick<ServerContext, 'authorizer' | 'store' | 'registry' | 'grants' | 'podsOf'>;

/**
 * Why a node gets no such token, if it gets none: only for a pod that runs on it, and for whom that pod's volumes name, so that
 * who takes over a node is nobody else than the pods there. Of everybody else it is not asked. The reasons are upstream's.
 */
export function nodeTokenRefusal(user: User, request: NodeTokenRequest, world: World): string | undefined {
  const node = nodeNameOf(user);
  if (node === undefined) return undefined;
  const { ref, pod } = request;
  if (ref === undefined || pod === undefined) return 'node requested token not bound to a pod';
  if ((ref.uid ?? '') === '') return 'node requested token with a pod binding without a uid';
  if (pod.spec.nodeName !== node) return 'node requested token bound to a pod scheduled on a different node';
  return audienceRefusal(user, { ...request, pod }, world);
}

function audienceRefusal(
  user: User,
  { pod, audiences, account }: NodeTokenRequest & { readonly pod: Pod },
  world: World,
): string | undefined {
  const [audience = '', ...others] = audiences;
  if (others.length > 0) return 'node may only request 0 or 1 audiences';
  if (namesAudience(pod, audience, world)) return undefined;
  const verb = 'request-serviceaccounts-token-audience';
  const { allowed } = world.authorizer.authorize({ user, verb, group: '', resource: audience, ...account }, world);
  if (allowed) return undefined;
  return `audience ${JSON.stringify(audience)} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`;
}

/** Whether a volume of the pod is of such a token, or of a driver that asks for one. */
function namesAudience(pod: Pod, audience: string, world: World): boolean {
  return (pod.spec.volumes ?? []).some((volume) => {
    const { sources = [] } = volume.projected ?? {};
    if (sources.some(({ serviceAccountToken: of }) => of !== undefined && (of.audience ?? '') === audience))
      return true;
    const driver = driverOf(pod, volume, world);
    return driver !== undefined && requestedBy(driver, world).includes(audience);
  });
}

function driverOf({ metadata }: Pod, volume: Volume, world: World): string | undefined {
  const { csi, ephemeral, persistentVolumeClaim, name } = volume;
  if (csi !== undefined) return csi.driver;
  const claimName = ephemeral === undefined ? persistentVolumeClaim?.claimName : `${metadata.name}-${name}`;
  if (claimName === undefined) return undefined;
  const claim = read<PersistentVolumeClaim>(world, persistentvolumeclaims, [metadata.namespace, claimName]);
  const found = read<PersistentVolume>(world, persistentvolumes, [undefined, claim?.spec.volumeName ?? '']);
  return found?.spec.csi?.driver;
}

function requestedBy(driver: string, world: World): readonly string[] {
  const found = read<{ readonly spec: { readonly tokenRequests?: readonly { readonly audience?: string }[] } }>(
    world,
    csidrivers,
    [undefined, driver],
  );
  return (found?.spec.tokenRequests ?? []).map(({ audience = '' }) => audience);
}

function read<T>(
  { store }: World,
  type: ResourceType,
  [namespace, name]: readonly [string | undefined, string],
): T | undefined {
  return store.get(objectKey(resourcePrefix(type), namespace, name))?.value as T | undefined;
}
