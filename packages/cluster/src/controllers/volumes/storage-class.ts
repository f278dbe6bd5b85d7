import type { PersistentVolume } from '../../api/generated/core-v1.ts';
import { storageclasses } from '../../api/generated/kinds.ts';
import type { CSIDriver, StorageClass } from '../../api/generated/storage-v1.ts';
import type { New } from '../../api/meta.ts';
import { isStatusError } from '../../api/status.ts';
import type { Client } from '../../client/client.ts';
import { provisionedByAnnotation } from '../../resources/core/volume-binding.ts';
import { isSimulated } from '../../resources/storage/simulated.ts';

/** Makes volumes that exist in the API alone: what simulated nodes mount. */
export const simulatedProvisioner = 'signalbox.dev/simulated';

/** Whether volumes of the class are made here: by ours, or in place of a driver that is only simulated. */
export function isSimulatedProvisioner({ provisioner }: StorageClass, driver: CSIDriver | undefined): boolean {
  return provisioner === simulatedProvisioner || isSimulated(driver);
}

/** Whether the volume was; also where its driver has gone since. */
export function isMadeHere(volume: PersistentVolume): boolean {
  const provisioner = volume.metadata.annotations?.[provisionedByAnnotation];
  return provisioner === simulatedProvisioner || (provisioner !== undefined && isSimulated(volume));
}

export const standardStorageClass: New<StorageClass> = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: simulatedProvisioner,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  allowVolumeExpansion: true,
};

/** Creates the default class `standard` unless there is one of that name. */
export async function ensureStandardStorageClass(
  client: Client,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  try {
    await client.create(storageclasses, standardStorageClass, { signal });
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  }
}
