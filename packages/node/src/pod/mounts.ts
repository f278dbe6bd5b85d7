import type { Container, Pod, VolumeMount } from '@signalbox/cluster';
import type { Mount, MountSource } from '../protocol/launch.ts';
import { expand } from './expand.ts';
import { badConfig, type Made, made } from './made.ts';

interface Of {
  readonly pod: Pod;
  readonly container: Container;
  readonly env: ReadonlyMap<string, string>;
}

/** Where a container finds the volumes of its pod. Propagation from the node is not offered: what it mounts stays its own. */
export function mountsOf(of: Of): Made<readonly Mount[]> {
  const { container } = of;
  const [device] = container.volumeDevices ?? [];
  if (device !== undefined)
    return badConfig(
      `block device "${device.name}" cannot be mapped: this node has no block devices; mount the volume by volumeMounts`,
    );
  const mounts: Mount[] = [];
  for (const each of container.volumeMounts ?? []) {
    const mount = mountOf(each, of);
    if (!mount.ok) return mount;
    mounts.push(mount.value);
  }
  // A mount below another one comes after it, whatever the order in which they are written.
  return made(mounts.toSorted((a, b) => depth(a) - depth(b)));
}

function depth({ mountPath }: Mount): number {
  return mountPath.split('/').filter((part) => part !== '').length;
}

function mountOf(mount: VolumeMount, { pod, env }: Of): Made<Mount> {
  const volume = pod.spec.volumes?.find(({ name }) => name === mount.name);
  if (volume === undefined) return badConfig(`cannot find volume "${mount.name}" to mount into container`);
  if (mount.mountPropagation === 'Bidirectional')
    return badConfig(
      `volume "${mount.name}" is mounted with mountPropagation Bidirectional, which this node does not offer; leave it out`,
    );
  const below = subPathOf(mount, env);
  if (!below.ok) return below;
  const { hostPath, persistentVolumeClaim } = volume;
  const source: MountSource =
    hostPath === undefined ? { volume: volume.name } : { hostPath: hostPath.path, type: hostPath.type ?? '' };
  const isFixed = [volume.configMap, volume.secret, volume.downwardAPI, volume.projected].some(
    (each) => each !== undefined,
  );
  return made({
    // Relative ones are taken from the root.
    mountPath: mount.mountPath.startsWith('/') ? mount.mountPath : `/${mount.mountPath}`,
    source,
    ...(below.value === '' ? {} : { subPath: below.value }),
    isReadOnly: isFixed || mount.readOnly === true || persistentVolumeClaim?.readOnly === true,
  });
}

function subPathOf({ subPath = '', subPathExpr = '' }: VolumeMount, env: ReadonlyMap<string, string>): Made<string> {
  const missing: string[] = [];
  const path =
    subPathExpr === ''
      ? subPath
      : expand(subPathExpr, (name) => env.get(name), { missing: (name) => missing.push(name) });
  if (missing[0] !== undefined) return badConfig(`missing value for "${missing[0]}"`);
  if (path.startsWith('/')) return badConfig(`error SubPath \`${path}\` must not be an absolute path`);
  if (path.split('/').includes('..'))
    return badConfig(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  return made(path);
}
