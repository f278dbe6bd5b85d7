import { storageclasses } from '../../api/generated/kinds.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import type { New } from '../../api/meta.ts';
import { isStatusError } from '../../api/status.ts';
import type { Client } from '../../client/client.ts';

/** Makes volumes that exist in the API alone: what simulated nodes mount. */
export const simulatedProvisioner = 'signalbox.dev/simulated';

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
