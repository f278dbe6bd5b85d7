import { storageclasses } from '../../api/generated/kinds.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import type { New } from '../../api/meta.ts';
import { isStatusError } from '../../api/status.ts';
import type { Client } from '../../client/client.ts';
import { isDefaultStorageClass } from '../../resources/storage/storageclass.ts';

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

/** Of several defaults the newest; of several as new the first by name. */
export function defaultClassOf(classes: Iterable<StorageClass>): StorageClass | undefined {
  let best: StorageClass | undefined;
  for (const each of classes)
    if (isDefaultStorageClass(each) && (best === undefined || rank(each) > rank(best) || isTieWon(each, best)))
      best = each;
  return best;
}

function rank({ metadata }: StorageClass): string {
  return metadata.creationTimestamp;
}

function isTieWon(a: StorageClass, b: StorageClass): boolean {
  return rank(a) === rank(b) && a.metadata.name < b.metadata.name;
}
