import type { SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';
import type { Snapshot } from '../snapshot.ts';

/** A pod waits until every claim that it mounts exists and is bound to a volume. */
export const volumeBinding: SchedulerPlugin = {
  name: 'VolumeBinding',
  wakesOn: ['volume/changed'],
  prepare(pod, snapshot) {
    const problem = claimProblem(pod, snapshot);
    return problem === undefined ? { state: undefined } : { rejected: problem, resolvable: false };
  },
};

function claimProblem({ pod }: PodView, snapshot: Snapshot): string | undefined {
  for (const { name, persistentVolumeClaim, ephemeral } of pod.spec.volumes ?? []) {
    const claimName =
      persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${pod.metadata.name}-${name}`);
    if (claimName === undefined) continue;
    const claim = snapshot.claim(`${pod.metadata.namespace}/${claimName}`);
    if (claim === undefined) return `persistentvolumeclaim "${claimName}" not found`;
    if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${claimName}" is being deleted`;
    if (claim.status.phase === 'Lost')
      return `persistentvolumeclaim "${claimName}" bound to non-existent persistentvolume "${claim.spec.volumeName ?? ''}"`;
    if (claim.status.phase !== 'Bound') return 'pod has unbound immediate PersistentVolumeClaims';
  }
  return undefined;
}
