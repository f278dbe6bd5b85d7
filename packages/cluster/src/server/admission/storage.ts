import type { PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, persistentvolumes, storageclasses } from '../../api/generated/kinds.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { forbidden, StatusError } from '../../api/status.ts';
import { claimFinalizer, volumeFinalizer } from '../../resources/core/persistentvolume.ts';
import { defaultClassOf } from '../../resources/storage/storageclass.ts';
import type { AdmissionPlugin } from '../context/admission.ts';

/** Upstream's name of the rule by which claims and volumes are protected. */
export const storageProtectionName = 'StorageObjectInUseProtection';

const olderClass = 'volume.beta.kubernetes.io/storage-class';

/** A claim that names no class gets the default one, if there is any. The empty name is one: none. */
export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  resources: [persistentvolumeclaims],
  create(object, { list }) {
    const claim = object as PersistentVolumeClaim;
    if (claim.spec.storageClassName !== undefined || claim.metadata.annotations?.[olderClass] !== undefined)
      return claim;
    const found = defaultClassOf(list(storageclasses));
    return found === undefined ? claim : { ...claim, spec: { ...claim.spec, storageClassName: found.metadata.name } };
  },
};

/** Claims and volumes that are in use stay until nobody uses them. Their controller ends the protection. */
export const storageProtection: AdmissionPlugin = {
  name: storageProtectionName,
  resources: [persistentvolumeclaims, persistentvolumes],
  create(object, { served }) {
    const finalizer = served.definition.kind === persistentvolumes.kind ? volumeFinalizer : claimFinalizer;
    const { finalizers = [] } = object.metadata;
    if (finalizers.includes(finalizer)) return object;
    return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
  },
};

/** A claim grows where it is bound, and its class says that its volumes can. */
export const claimResize: AdmissionPlugin = {
  name: 'PersistentVolumeClaimResize',
  resources: [persistentvolumeclaims],
  checkUpdate(changed, before, { get, served, subresource }) {
    const [next, current] = [changed as PersistentVolumeClaim, before as PersistentVolumeClaim];
    if (subresource !== undefined || sizeOf(next) <= sizeOf(current)) return;
    const refusal = (why: string): StatusError =>
      new StatusError(forbidden(served.definition, next.metadata.name, why));
    if (current.status?.phase !== 'Bound') throw refusal('Only bound persistent volume claims can be expanded');
    const [name, other] = [classOf(next), classOf(current)];
    const found = name === '' || name !== other ? undefined : get(storageclasses, { name });
    if (found?.allowVolumeExpansion !== true)
      throw refusal(
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
  },
};

function sizeOf({ spec }: PersistentVolumeClaim): bigint {
  return parseQuantity(spec.resources?.requests?.['storage'] ?? '') ?? 0n;
}

function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[olderClass] ?? spec.storageClassName ?? '';
}
