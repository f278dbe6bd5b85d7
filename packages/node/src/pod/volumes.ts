/** What is in the volumes of a pod. */
import type { Pod, Volume } from '@signalbox/cluster';
import { parseQuantity } from '@signalbox/cluster';
import type { VolumeContent } from '../protocol/volume.ts';
import { claimNameOf, type PodAround } from './around.ts';
import { podMemoryBytes } from './resources.ts';
import { commonUser } from './user.ts';
import { configMapFiles, downwardFiles, type Files, projectedFiles, secretFiles } from './volume-files.ts';

export type VolumeContents =
  | { readonly ok: true; readonly volumes: readonly VolumeContent[] }
  /** Texts of `FailedMount` events, one for each volume that is not there. */
  | { readonly ok: false; readonly missing: readonly string[] };

/** All that the pod's containers may mount but paths of the node of which nothing is asked: they are no volumes of the pod. */
export function volumeContents(pod: Pod, around: PodAround): VolumeContents {
  const all = (pod.spec.volumes ?? [])
    .filter(({ hostPath }) => hostPath === undefined || (hostPath.type ?? '') !== '')
    .map((volume) => ({ volume, content: contentOf(volume, { pod, around }) }));
  const missing = all.flatMap(({ volume: { name }, content }) =>
    typeof content === 'string' ? [setUpFailed(name, content)] : [],
  );
  if (missing.length > 0) return { ok: false, missing };
  return { ok: true, volumes: all.flatMap(({ content }) => (typeof content === 'string' ? [] : [content])) };
}

export function setUpFailed(name: string, why: string): string {
  return `MountVolume.SetUp failed for volume "${name}" : ${why}`;
}

interface Of {
  readonly pod: Pod;
  readonly around: PodAround;
}

/** A text says why there is none. */
function contentOf(volume: Volume, of: Of): VolumeContent | string {
  const { name, emptyDir, configMap, secret, downwardAPI, projected, persistentVolumeClaim, ephemeral, hostPath } =
    volume;
  const { pod, around } = of;
  const group = groupOf(pod);
  const files = (made: Files, { isSecret }: { readonly isSecret: boolean }): VolumeContent | string =>
    typeof made === 'string' ? made : { name, is: 'files', files: made, isSecret, ...group };
  if (hostPath !== undefined) return { name, is: 'host', path: hostPath.path, type: hostPath.type ?? '' };
  if (emptyDir !== undefined) return emptyContent(volume, pod);
  if (configMap !== undefined) return files(configMapFiles(configMap, around), { isSecret: false });
  if (secret !== undefined)
    return files(secretFiles({ ...secret, name: secret.secretName ?? '' }, around), { isSecret: true });
  if (downwardAPI !== undefined) return files(downwardFiles(downwardAPI, of), { isSecret: false });
  if (projected !== undefined) {
    const isSecret = (projected.sources ?? []).some((each) => each.secret ?? each.serviceAccountToken);
    return files(projectedFiles(volume, { ...of, user: commonUser(pod) }), { isSecret });
  }
  if (persistentVolumeClaim !== undefined || ephemeral !== undefined) return claimContent(volume, of);
  const type = Object.keys(volume).find((key) => key !== 'name') ?? 'emptyDir';
  if (type === 'emptyDir') return { name, is: 'empty', medium: 'disk', ...group };
  return `volumes of type ${type} are not offered by this node; use a PersistentVolumeClaim, emptyDir or hostPath`;
}

function groupOf({ spec }: Pod): { readonly group?: number } {
  const group = spec.securityContext?.fsGroup;
  return group === undefined ? {} : { group };
}

function emptyContent({ name, emptyDir }: Volume, pod: Pod): VolumeContent | string {
  const { medium = '', sizeLimit = '0' } = emptyDir ?? {};
  if (medium.startsWith('HugePages')) return `medium ${medium} is not offered by this node; use Memory or none`;
  const asked = Number((parseQuantity(sizeLimit) ?? 0n) / 1_000_000_000n);
  const ofPod = medium === 'Memory' ? podMemoryBytes(pod) : undefined;
  const limits = [asked === 0 ? undefined : asked, ofPod].filter((each) => each !== undefined);
  return {
    ...{ name, is: 'empty', medium: medium === 'Memory' ? 'memory' : 'disk' },
    ...(limits.length === 0 ? {} : { limitBytes: Math.min(...limits) }),
    ...groupOf(pod),
  };
}

function claimContent(volume: Volume, { pod, around }: Of): VolumeContent | string {
  const claimName = claimNameOf(pod, volume) ?? '';
  const of = `${pod.metadata.namespace}/${claimName}`;
  const claim = around.claims.get(claimName);
  if (claim === undefined)
    return `error processing PVC ${of}: failed to fetch PVC from API server: persistentvolumeclaims "${claimName}" not found`;
  if (claim.isBeingDeleted) return `error processing PVC ${of}: can't start pod because PVC is being deleted`;
  if (volume.ephemeral !== undefined && claim.ownerUid !== pod.metadata.uid)
    return `error processing PVC ${of}: PVC ${of} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`;
  if (claim.folder === undefined) return `error processing PVC ${of}: PVC is not bound`;
  return { name: volume.name, is: 'claim', folder: claim.folder, ...groupOf(pod) };
}
