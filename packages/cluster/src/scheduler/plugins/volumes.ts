import type { PersistentVolume } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, persistentvolumes } from '../../api/generated/kinds.ts';
import type { NodeView } from '../node-view.ts';
import type { PodView } from '../pod-view.ts';
import type { Snapshot } from '../snapshot.ts';

export interface MountedVolume {
  /** What the pod calls it. */
  readonly name: string;
  readonly volume: PersistentVolume;
}

/** The volumes to which the pod's claims are bound. */
export function volumesOf({ claims }: PodView, snapshot: Snapshot): readonly MountedVolume[] {
  if (claims.length === 0) return [];
  return claims.flatMap(({ key, volume: name }) => {
    const volume = snapshot
      .of(persistentvolumes)
      .get(snapshot.of(persistentvolumeclaims).get(key)?.spec.volumeName ?? '');
    return volume === undefined ? [] : [{ name, volume }];
  });
}

/** Whether any node is as it has to be; looked for when somebody asks, and once. */
export function somewhere({ nodes }: Snapshot, isRight: (node: NodeView) => boolean): () => boolean {
  let found: boolean | undefined;
  return () => {
    found ??= nodes.some(isRight);
    return found;
  };
}
