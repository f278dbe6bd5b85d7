/** What a volume of a driver is called where it is attached, and when it has to be. */
import { createHash } from 'node:crypto';
import type {
  ContainerStatus,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from '../../api/generated/core-v1.ts';
import type { CSIDriver } from '../../api/generated/storage-v1.ts';
import type { Key } from '../../api/meta.ts';
import { mountedClaims } from '../core/pod/claims.ts';
import { isPodTerminal } from '../core/pod/facts.ts';

/** On a Node whose volumes a controller attaches: its kubelet says so when it registers. */
export const managedAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach';

/** Who asks knows where to look. */
export interface VolumeObjects {
  claim(key: Key): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  driver(name: string): CSIDriver | undefined;
}

/** A volume as its driver knows it. */
export interface DriverVolume {
  readonly driver: string;
  readonly handle: string;
}

export function driverVolumeOf({ spec: { csi } }: PersistentVolume): DriverVolume | undefined {
  return csi && { driver: csi.driver, handle: csi.volumeHandle };
}

const ownNames = 'kubernetes.io/csi/';

/** What it is called in the status of a node. */
export function statusName({ driver, handle }: DriverVolume): string {
  return `${ownNames}${driver}^${handle}`;
}

/** Undefined: it is called so by another kind of volume. */
export function parseStatusName(name: string): DriverVolume | undefined {
  const end = name.indexOf('^');
  if (!name.startsWith(ownNames) || end < 0) return undefined;
  return { driver: name.slice(ownNames.length, end), handle: name.slice(end + 1) };
}

/** What the VolumeAttachment is called: always the same, so that nothing is attached twice. */
export function attachmentName({ driver, handle }: DriverVolume, node: string): string {
  return `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`;
}

const madeByController = /^csi-[0-9a-f]{64}$/;

/** Whether one that may have outlived its volume was made by a controller, and not by hand. */
export function isMadeName(name: string): boolean {
  return madeByController.test(name);
}

/** A driver that says nothing of itself has its volumes attached. */
export function isAttached(driver: CSIDriver | undefined): boolean {
  return driver?.spec.attachRequired !== false;
}

/** Whether only one node may have it at a time. */
export function isExclusive({ spec: { accessModes = [] } }: PersistentVolume): boolean {
  return accessModes.length > 0 && !accessModes.includes('ReadWriteMany') && !accessModes.includes('ReadOnlyMany');
}

/** The volume that the claim of that key is bound to, as both say. */
export function boundVolume(key: Key, { claim, volume }: VolumeObjects): PersistentVolume | undefined {
  const { metadata, spec, status } = claim(key) ?? {};
  const name = spec?.volumeName ?? '';
  if (name === '' || status?.phase !== 'Bound') return undefined;
  const found = volume(name);
  return found?.spec.claimRef?.uid === metadata?.uid ? found : undefined;
}

/** The volumes of a pod that have to be attached to its node. None of nearly all pods. */
export function attachedVolumes(pod: Pod, objects: VolumeObjects): readonly PersistentVolume[] {
  return mountedClaims(pod).flatMap(({ key }) => {
    const volume = boundVolume(key, objects);
    const { driver } = (volume && driverVolumeOf(volume)) ?? {};
    return volume !== undefined && driver !== undefined && isAttached(objects.driver(driver)) ? [volume] : [];
  });
}

/** Whether its node may let its volumes go: it has ended, or is to go and nothing of it runs. */
export function isDoneWithVolumes(pod: Pod): boolean {
  if (isPodTerminal(pod)) return true;
  if (pod.metadata.deletionTimestamp === undefined) return false;
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status;
  return ![...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].some(isRunning);
}

function isRunning({ state }: ContainerStatus): boolean {
  return state?.terminated === undefined && state?.waiting === undefined;
}

export function isManaged({ metadata }: Node): boolean {
  return metadata.annotations?.[managedAnnotation] !== undefined;
}
