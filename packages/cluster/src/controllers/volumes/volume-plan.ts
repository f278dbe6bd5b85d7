import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { persistentvolumes } from '../../api/generated/kinds.ts';
import { toTimestamp } from '../../base/clock.ts';
import { volumeFinalizer } from '../../resources/core/persistentvolume.ts';
import {
  boundByControllerAnnotation,
  isAnnotated,
  provisionedByAnnotation,
} from '../../resources/core/volume-binding.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';
import { isMadeHere } from './storage-class.ts';

export interface Observed {
  readonly volume: PersistentVolume;
  /** The claim of the name that `spec.claimRef` names, whatever its uid. */
  readonly claim: PersistentVolumeClaim | undefined;
}

type Phase = 'Available' | 'Bound' | 'Released' | 'Failed';

/** The phase of a volume, and what becomes of it when its claim is gone. */
export function plan({ volume, claim }: Observed, nowMs: number): Plan {
  const { metadata, spec } = volume;
  if (metadata.deletionTimestamp !== undefined) return leaving(volume, claim);
  if (metadata.finalizers?.includes(volumeFinalizer) !== true)
    return { actions: [withFinalizers(volume, [...(metadata.finalizers ?? []), volumeFinalizer])] };
  const uid = spec.claimRef?.uid ?? '';
  if (uid === '') return { actions: phase(volume, { to: 'Available', nowMs }) };
  if (claim?.metadata.uid !== uid) return { actions: released(volume, nowMs) };
  const bound = claim.spec.volumeName ?? '';
  if (bound === metadata.name) return { actions: phase(volume, { to: 'Bound', nowMs }) };
  // The claim is about to take the volume, as the claim's own plan will write.
  if (bound === '') return nothingToDo;
  return { actions: passedOver(volume, nowMs) };
}

/** A volume that a claim is bound to stays until the claim is gone. */
function leaving(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): Plan {
  const { finalizers = [], name } = volume.metadata;
  const uid = volume.spec.claimRef?.uid;
  const isUsed = claim !== undefined && claim.metadata.uid === uid && claim.spec.volumeName === name;
  if (isUsed || !finalizers.includes(volumeFinalizer)) return nothingToDo;
  return {
    actions: [
      withFinalizers(
        volume,
        finalizers.filter((each) => each !== volumeFinalizer),
      ),
    ],
  };
}

function withFinalizers(volume: PersistentVolume, finalizers: readonly string[]): Action {
  return { do: 'update', type: persistentvolumes, object: { ...volume, metadata: { ...volume.metadata, finalizers } } };
}

interface Change {
  readonly to: Phase;
  readonly nowMs: number;
  readonly message?: string;
}

function phase(volume: PersistentVolume, { to, nowMs, message }: Change): readonly Action[] {
  if (volume.status?.phase === to && volume.status.message === message) return [];
  const status = { phase: to, ...(message !== undefined && { message }), lastPhaseTransitionTime: toTimestamp(nowMs) };
  return [{ do: 'setStatus', type: persistentvolumes, object: { ...volume, status } as PersistentVolume }];
}

/**
 * Its claim is gone. The phase is written first and acted on in the next round: by then the caches have caught up with a
 * write, so a claim that was only late to show up has shown up.
 */
function released(volume: PersistentVolume, nowMs: number): readonly Action[] {
  const { status, spec, metadata } = volume;
  if (status?.phase !== 'Released') return status?.phase === 'Failed' ? [] : phase(volume, { to: 'Released', nowMs });
  switch (spec.persistentVolumeReclaimPolicy) {
    case 'Delete': {
      const provisioner = metadata.annotations?.[provisionedByAnnotation];
      if (isMadeHere(volume)) return [{ do: 'delete', type: persistentvolumes, target: volume }];
      // Whoever provisioned it removes it, and a driver's are its driver's.
      if (provisioner !== undefined || spec.csi !== undefined) return [];
      if (spec.hostPath !== undefined) return folder(volume, { path: spec.hostPath.path, nowMs });
      const message = `error getting deleter volume plugin for volume "${metadata.name}": no deletable volume plugin matched`;
      return failed(volume, { message, reason: 'VolumeFailedDelete', nowMs });
    }
    case 'Recycle':
      if (spec.hostPath === undefined && spec.nfs === undefined)
        return failed(volume, {
          message: 'No recycler plugin found for the volume!',
          reason: 'VolumeFailedRecycle',
          nowMs,
        });
      return [
        unclaimed(volume),
        { do: 'emit', regarding: volume, type: 'Normal', reason: 'VolumeRecycled', note: 'Volume recycled' },
      ];
    default:
      return [];
  }
}

/** As upstream, which deletes nothing that could be anybody's. */
function folder(
  volume: PersistentVolume,
  { path, nowMs }: { readonly path: string; readonly nowMs: number },
): readonly Action[] {
  if (/\/tmp\/.+/.test(path)) return [{ do: 'delete', type: persistentvolumes, target: volume }];
  const message = `host_path deleter only supports /tmp/.+ but received provided ${path}`;
  return failed(volume, { message, reason: 'VolumeFailedDelete', nowMs });
}

function failed(
  volume: PersistentVolume,
  { message, reason, nowMs }: { readonly message: string; readonly reason: string; readonly nowMs: number },
): readonly Action[] {
  return [
    ...phase(volume, { to: 'Failed', message, nowMs }),
    { do: 'emit', regarding: volume, type: 'Warning', reason, note: message },
  ];
}

/** The claim took another volume. One that was made for it has no use; one that was only chosen is free again. */
function passedOver(volume: PersistentVolume, nowMs: number): readonly Action[] {
  if (isMadeHere(volume) && volume.spec.persistentVolumeReclaimPolicy === 'Delete') return released(volume, nowMs);
  return isAnnotated(volume, boundByControllerAnnotation) || volume.status?.phase === 'Bound'
    ? [unclaimed(volume)]
    : [];
}

/** Free for any claim. A volume that somebody promised to a claim by name stays promised to that name. */
function unclaimed(volume: PersistentVolume): Action {
  const { [boundByControllerAnnotation]: mark, ...annotations } = volume.metadata.annotations ?? {};
  const { claimRef, ...spec } = volume.spec;
  const { uid: _uid, resourceVersion: _version, ...promise } = claimRef ?? {};
  const kept = mark === undefined && claimRef !== undefined ? { ...spec, claimRef: promise } : spec;
  return {
    do: 'update',
    type: persistentvolumes,
    object: { ...volume, metadata: { ...volume.metadata, annotations }, spec: kept } as PersistentVolume,
  };
}
