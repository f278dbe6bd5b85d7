import type { PersistentVolume } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, persistentvolumes } from '../../api/generated/kinds.ts';
import type { PodView } from '../pod-view.ts';
import type { Snapshot } from '../snapshot.ts';

/** The volumes to which the pod's claims are bound. */
export function volumesOf({ claims }: PodView, snapshot: Snapshot): readonly PersistentVolume[] {
  if (claims.length === 0) return [];
  return claims.flatMap(({ key }) => {
    const name = snapshot.of(persistentvolumeclaims).get(key)?.spec.volumeName;
    return name === undefined ? [] : (snapshot.of(persistentvolumes).get(name) ?? []);
  });
}
