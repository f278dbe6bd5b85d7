import type { PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims } from '../../api/generated/kinds.ts';
import { abstains, type SchedulerPlugin } from '../plugin.ts';

/** A pod waits until every claim that it mounts exists and is bound to a volume. */
export const volumeBinding: SchedulerPlugin = {
  name: 'VolumeBinding',
  reads: [persistentvolumeclaims],
  wakesOn: [],
  prepare({ claims }, snapshot) {
    for (const { name, key } of claims) {
      const problem = claimProblem(name, snapshot.of(persistentvolumeclaims).get(key));
      if (problem !== undefined) return { rejected: problem };
    }
    return abstains;
  },
};

function claimProblem(name: string, claim: PersistentVolumeClaim | undefined): string | undefined {
  if (claim === undefined) return `persistentvolumeclaim "${name}" not found`;
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
  if (claim.status.phase === 'Lost')
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName ?? ''}"`;
  return claim.status.phase === 'Bound' ? undefined : 'pod has unbound immediate PersistentVolumeClaims';
}
