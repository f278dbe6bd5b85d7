/** What inside is made of besides pods and their processes: each part is a value that `main.ts` puts in. */
import type { Mount } from '../protocol/launch.ts';
import type { VolumeContent } from '../protocol/volume.ts';
import type { ResolvedMount } from '../sandbox/bubblewrap.ts';

/** The folders of a pod's volumes. */
export interface Volumes {
  write(uid: string, volume: VolumeContent): Promise<void>;
  /** Where what a container mounts lies on this machine, never outside of its volume. */
  resolveMounts(uid: string, mounts: readonly Mount[]): Promise<readonly ResolvedMount[]>;
  /** Unmounts what it mounted; the pod's folder is removed afterwards. */
  remove(uid: string): Promise<void>;
}
