/** What pods are told about volumes that they wait for, in upstream's words. */
import type { PersistentVolume, Pod } from '../../api/generated/core-v1.ts';
import { driverVolumeOf } from '../../resources/storage/attaching.ts';

/** Whoever reads of pods in a namespace is not told the names of those in others. */
export function elsewhere(
  { metadata }: PersistentVolume,
  { pod, there }: { readonly pod: Pod; readonly there: readonly Pod[] },
): string {
  const near = there.filter((each) => each.metadata.namespace === pod.metadata.namespace);
  const far = there.length - near.length;
  const others = `${far} pod(s) in different namespaces`;
  const names = near.map(({ metadata: { name } }) => name).join(', ');
  const by = near.length === 0 ? others : `pod(s) ${names}${far === 0 ? '' : ` and ${others}`}`;
  const why =
    there.length === 0
      ? "Volume is already exclusively attached to one node and can't be attached to another"
      : `Volume is already used by ${by}`;
  return `Multi-Attach error for volume "${metadata.name}" ${why}`;
}

export function attached({ metadata }: PersistentVolume): string {
  return `AttachVolume.Attach succeeded for volume "${metadata.name}" `;
}

export function attachFailed({ metadata }: PersistentVolume, why: string): string {
  return `AttachVolume.Attach failed for volume "${metadata.name}" : ${why}`;
}

export function tooLate(volume: PersistentVolume): string {
  const { driver, handle } = driverVolumeOf(volume) ?? { driver: '', handle: '' };
  const why = `timed out waiting for external-attacher of ${driver} CSI driver to attach volume ${handle}`;
  return attachFailed(volume, why);
}
