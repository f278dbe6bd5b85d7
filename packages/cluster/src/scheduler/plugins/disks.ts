import type { Volume } from '../../api/generated/core-v1.ts';
import type { PodView } from '../pod-view.ts';

/** Volumes named in the pod itself that a machine may have to itself: of GCE, EBS, iSCSI and Ceph. */
export function disksOf({ pod }: PodView): readonly Volume[] {
  return pod.spec.volumes?.some(isDisk) === true ? pod.spec.volumes.filter(isDisk) : none;
}

const none: readonly Volume[] = [];

function isDisk({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }: Volume): boolean {
  return (gcePersistentDisk ?? awsElasticBlockStore ?? iscsi ?? rbd) !== undefined;
}

/** Whether both are the same disk, and not on one node at a time: one that all only read may be, but for those of EBS. */
export function collide(a: Volume, b: Volume): boolean {
  const [gce, otherGce] = [a.gcePersistentDisk, b.gcePersistentDisk];
  if (gce && otherGce && gce.pdName === otherGce.pdName && !areRead(gce, otherGce)) return true;
  const [ebs, otherEbs] = [a.awsElasticBlockStore, b.awsElasticBlockStore];
  if (ebs && otherEbs && ebs.volumeID === otherEbs.volumeID) return true;
  if (a.iscsi && b.iscsi && a.iscsi.iqn === b.iscsi.iqn && !areRead(a.iscsi, b.iscsi)) return true;
  return a.rbd !== undefined && b.rbd !== undefined && isSameImage(a.rbd, b.rbd) && !areRead(a.rbd, b.rbd);
}

interface ReadOrWritten {
  readonly readOnly?: boolean;
}

function areRead(a: ReadOrWritten, b: ReadOrWritten): boolean {
  return a.readOnly === true && b.readOnly === true;
}

type Image = NonNullable<Volume['rbd']>;

function isSameImage(a: Image, b: Image): boolean {
  return a.pool === b.pool && a.image === b.image && a.monitors.some((monitor) => b.monitors.includes(monitor));
}
