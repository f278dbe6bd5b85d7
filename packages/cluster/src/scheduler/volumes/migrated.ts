import type { PersistentVolume, Volume } from '../../api/generated/core-v1.ts';
import type { CSINode } from '../../api/generated/storage-v1.ts';

/** A volume as the driver knows it that attaches it. */
export interface DrivenVolume {
  readonly driver: string;
  readonly handle: string;
  /** Only where the node says that this plugin has gone over to its driver. Absent: everywhere. */
  readonly where?: string;
}

type Source = Pick<
  Volume & PersistentVolume['spec'],
  'awsElasticBlockStore' | 'gcePersistentDisk' | 'azureDisk' | 'cinder' | 'portworxVolume'
>;

const portworx = 'kubernetes.io/portworx-volume';

/** What drivers attach for kinds that were built into nodes once. Of files of Azure and disks of vSphere nobody counts how many a node takes. */
export function migratedVolume(source: Source): DrivenVolume | undefined {
  const { awsElasticBlockStore: ebs, gcePersistentDisk: gce, azureDisk: azure, cinder, portworxVolume } = source;
  if (ebs !== undefined) return { driver: 'ebs.csi.aws.com', handle: ebsId(ebs.volumeID ?? '') };
  if (gce !== undefined) return { driver: 'pd.csi.storage.gke.io', handle: gce.pdName ?? '' };
  if (azure !== undefined && (azure.kind ?? 'Managed').toLowerCase() === 'managed')
    return { driver: 'disk.csi.azure.com', handle: azure.diskURI ?? '' };
  if (cinder !== undefined) return { driver: 'cinder.csi.openstack.org', handle: cinder.volumeID ?? '' };
  if (portworxVolume !== undefined)
    return { driver: 'pxd.portworx.com', handle: portworxVolume.volumeID ?? '', where: portworx };
  return undefined;
}

/** It may be written with its zone: `aws://eu-1a/vol-1`. */
function ebsId(id: string): string {
  return id.startsWith('aws://') ? (id.split('/').at(-1) ?? id) : id;
}

const drivers: Readonly<Record<string, Omit<DrivenVolume, 'handle'>>> = {
  'kubernetes.io/aws-ebs': { driver: 'ebs.csi.aws.com' },
  'kubernetes.io/gce-pd': { driver: 'pd.csi.storage.gke.io' },
  'kubernetes.io/azure-disk': { driver: 'disk.csi.azure.com' },
  'kubernetes.io/cinder': { driver: 'cinder.csi.openstack.org' },
  [portworx]: { driver: 'pxd.portworx.com', where: portworx },
};

/** Who attaches what a class has made. */
export function driverOfClass(provisioner: string): Omit<DrivenVolume, 'handle'> {
  return Object.hasOwn(drivers, provisioner)
    ? (drivers[provisioner] ?? { driver: provisioner })
    : { driver: provisioner };
}

/** Whether the driver attaches it on this node. */
export function isDrivenOn({ where }: Pick<DrivenVolume, 'where'>, { metadata }: CSINode): boolean {
  if (where === undefined) return true;
  return metadata.annotations?.['storage.alpha.kubernetes.io/migrated-plugins']?.split(',').includes(where) === true;
}
