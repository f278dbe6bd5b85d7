/** Lets volumes of simulated drivers go that are to go, once nothing of them is attached anywhere. */
import type { PersistentVolume } from '../../api/generated/core-v1.ts';
import { csidrivers, persistentvolumes, volumeattachments } from '../../api/generated/kinds.ts';
import { simulatedStorage } from '../../api/system-identities.ts';
import { attachmentsByVolume } from '../../client/indexes.ts';
import { isSimulated } from '../../resources/storage/simulated.ts';
import { type Controller, mapped, nobody } from '../../runtime/controller.ts';
import { nothingToDo, type Plan } from '../../runtime/plan.ts';
import { attacherFinalizer, hasFinalizer, released } from './attacher.ts';

export interface Observed {
  readonly volume: PersistentVolume;
  readonly isSimulated: boolean;
  readonly isAttached: boolean;
}

export const simulatedKeeper: Controller<Observed> = {
  name: 'simulated-attacher-volumes',
  user: simulatedStorage.user,
  watches: [
    mapped(persistentvolumes, ({ object: { metadata, spec } }) =>
      spec.csi === undefined || metadata.deletionTimestamp === undefined ? nobody : [metadata.name],
    ),
    mapped(volumeattachments, ({ type, object: { spec } }) =>
      type === 'deleted' ? [spec.source.persistentVolumeName ?? ''] : nobody,
    ),
  ],
  reads: [csidrivers],
  observe(name, caches) {
    const volume = caches.of(persistentvolumes).get(name);
    if (volume?.spec.csi === undefined) return undefined;
    return {
      volume,
      isSimulated: isSimulated(volume) || isSimulated(caches.of(csidrivers).get(volume.spec.csi.driver)),
      isAttached: caches.of(volumeattachments).by(attachmentsByVolume, name).length > 0,
    };
  },
  plan,
};

export function plan(observed: Observed): Plan {
  const { volume } = observed;
  const finalizer = attacherFinalizer(volume.spec.csi?.driver ?? '');
  if (!observed.isSimulated || observed.isAttached || volume.metadata.deletionTimestamp === undefined)
    return nothingToDo;
  if (!hasFinalizer(volume, finalizer)) return nothingToDo;
  return { actions: [{ do: 'update', type: persistentvolumes, object: released(volume, finalizer) }] };
}
