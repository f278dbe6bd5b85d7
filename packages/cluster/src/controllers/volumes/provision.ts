import type { PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { persistentvolumes } from '../../api/generated/kinds.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import { volumeFinalizer } from '../../resources/core/persistentvolume.ts';
import type { Action } from '../../runtime/plan.ts';
import { boundByControllerAnnotation, provisionedByAnnotation, provisionedName, referenceTo } from './binding.ts';
import { simulatedProvisioner } from './storage-class.ts';

/** Where simulated volumes pretend to be on their nodes. */
const volumesFolder = '/var/lib/signalbox/volumes';

/** A volume made for the claim and bound to it from the start. */
export function provision(claim: PersistentVolumeClaim, storageClass: StorageClass): Action {
  const name = provisionedName(claim);
  const { reclaimPolicy = 'Delete', mountOptions } = storageClass;
  const storage = claim.spec.resources?.requests?.['storage'] ?? '0';
  const object = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name,
      annotations: { [provisionedByAnnotation]: simulatedProvisioner, [boundByControllerAnnotation]: 'yes' },
      finalizers: [volumeFinalizer],
    },
    spec: {
      accessModes: claim.spec.accessModes ?? [],
      capacity: { storage },
      claimRef: referenceTo(claim),
      hostPath: { path: `${volumesFolder}/${name}`, type: 'DirectoryOrCreate' },
      ...(mountOptions !== undefined && { mountOptions }),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name,
      volumeMode: claim.spec.volumeMode ?? 'Filesystem',
    },
  };
  return {
    do: 'create',
    type: persistentvolumes,
    object,
    unless: ['AlreadyExists'],
    announce: {
      regarding: claim,
      done: { reason: 'ProvisioningSucceeded', note: 'Successfully provisioned volume {name}' },
      failed: {
        reason: 'ProvisioningFailed',
        note: `failed to provision volume with StorageClass "${storageClass.metadata.name}": {error}`,
      },
    },
  };
}

/** Why the simulated provisioner cannot make what the claim asks for. */
export function provisioningProblem({ spec }: PersistentVolumeClaim): string | undefined {
  if (spec.selector !== undefined) return 'claim Selector is not supported';
  if (spec.dataSource !== undefined || spec.dataSourceRef !== undefined)
    return 'a volume cannot be filled from a dataSource here; leave it out';
  return undefined;
}
