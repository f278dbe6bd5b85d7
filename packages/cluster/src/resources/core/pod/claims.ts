import type { Pod } from '../../../api/generated/core-v1.ts';
import type { Key } from '../../../api/meta.ts';

export interface MountedClaim {
  readonly name: string;
  /** What the pod calls it: the same in all pods of one template. */
  readonly volume: string;
  /** Made for this pod alone. */
  readonly isEphemeral: boolean;
  readonly key: Key;
}

/** One list for nearly all pods. */
const nothing: readonly never[] = Object.freeze([]);

/** The claims that a pod mounts, and those that stand behind its generic ephemeral volumes. Never asked in vain: most have none. */
export function mountedClaims({ metadata, spec }: Pod): readonly MountedClaim[] {
  if (spec.volumes?.some(isClaimed) !== true) return nothing;
  return spec.volumes.flatMap(({ name: volume, persistentVolumeClaim, ephemeral }) => {
    const name =
      persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${volume}`);
    return name === undefined
      ? []
      : [{ name, volume, key: `${metadata.namespace}/${name}`, isEphemeral: ephemeral !== undefined }];
  });
}

type Volume = NonNullable<Pod['spec']['volumes']>[number];

function isClaimed({ persistentVolumeClaim, ephemeral }: Volume): boolean {
  return persistentVolumeClaim !== undefined || ephemeral !== undefined;
}
