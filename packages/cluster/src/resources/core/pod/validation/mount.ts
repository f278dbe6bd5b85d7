import type { Container, EphemeralContainer, VolumeMount } from '../../../../api/generated/core-v1.ts';
import type { Issue } from '../../../../api/issue.ts';
import { inside, type Place } from './place.ts';

const propagations: readonly string[] = ['Bidirectional', 'HostToContainer', 'None'];
const recursions: readonly string[] = ['Disabled', 'Enabled', 'IfPossible'];

export function* validateVolumeMounts(
  container: Container | EphemeralContainer,
  at: Place,
  volumes: ReadonlySet<string>,
): Iterable<Issue> {
  const { volumeMounts, volumeDevices } = container;
  const devices = volumeDevices ?? [];
  if (volumeMounts !== undefined) {
    const paths = new Set<string>();
    for (let index = 0; index < volumeMounts.length; index++) {
      const mount = volumeMounts[index] as Partial<VolumeMount>;
      const place = inside(at, 'volumeMounts', index);
      yield* validateReference(mount.name, inside(place, 'name'), volumes);
      const { mountPath = '' } = mount;
      if (mountPath === '') yield place()('mountPath').required();
      if (paths.has(mountPath)) yield place()('mountPath').invalid(mountPath, 'must be unique');
      paths.add(mountPath);
      if (devices.some(({ name }) => name === mount.name))
        yield place()('name').invalid(mount.name, 'must not already exist in volumeDevices');
      if (devices.some(({ devicePath }) => devicePath === mountPath))
        yield place()('mountPath').invalid(mountPath, 'must not already exist as a path in volumeDevices');
      // As upstream, which tells no index here.
      yield* validateSubPaths(mount, { place, all: inside(at, 'volumeMounts') });
      yield* validatePropagation(mount, inside(at, 'volumeMounts'), container);
    }
  }
  if (devices.length > 0)
    yield* validateDevices({ devices, mounts: volumeMounts ?? [] }, inside(at, 'volumeDevices'), volumes);
}

function* validateReference(name: string | undefined, at: Place, volumes: ReadonlySet<string>): Iterable<Issue> {
  if (name === undefined || name === '') yield at().required();
  if (name === undefined || !volumes.has(name)) yield at().notFound(name ?? '');
}

function* validateSubPaths(
  { subPath = '', subPathExpr = '' }: Partial<VolumeMount>,
  { place, all }: { readonly place: Place; readonly all: Place },
): Iterable<Issue> {
  if (subPath !== '') yield* validateDescendingPath(subPath, inside(all, 'subPath'));
  if (subPathExpr === '') return;
  if (subPath !== '')
    yield place()('subPathExpr').invalid(subPathExpr, 'subPathExpr and subPath are mutually exclusive');
  yield* validateDescendingPath(subPathExpr, inside(all, 'subPathExpr'));
}

/** A path that leads nowhere but down. */
export function* validateDescendingPath(path: string, at: Place): Iterable<Issue> {
  if (path.startsWith('/')) yield at().invalid(path, 'must be a relative path');
  yield* validateNoBacksteps(path, at);
}

export function* validateNoBacksteps(path: string, at: Place): Iterable<Issue> {
  if (hasBacksteps(path)) yield at().invalid(path, "must not contain '..'");
}

function hasBacksteps(path: string): boolean {
  return path.includes('..') && path.split('/').includes('..');
}

function* validatePropagation(
  mount: Partial<VolumeMount>,
  at: Place,
  { securityContext }: Container | EphemeralContainer,
): Iterable<Issue> {
  const { mountPropagation, recursiveReadOnly, readOnly } = mount;
  if (mountPropagation !== undefined) {
    if (!propagations.includes(mountPropagation))
      yield at()('mountPropagation').notSupported(mountPropagation, propagations);
    if (mountPropagation === 'Bidirectional' && securityContext?.privileged !== true)
      yield at()('mountPropagation').forbidden(
        'Bidirectional mount propagation is available only to privileged containers',
      );
  }
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return;
  if (!recursions.includes(recursiveReadOnly)) {
    yield at()('recursiveReadOnly').notSupported(recursiveReadOnly, recursions);
    return;
  }
  if (readOnly !== true) yield at()('recursiveReadOnly').forbidden('may only be specified when readOnly is true');
  if (mountPropagation !== undefined && mountPropagation !== 'None')
    yield at()('recursiveReadOnly').forbidden('may only be specified when mountPropagation is None or not specified');
}

type Devices = NonNullable<Container['volumeDevices']>;

function* validateDevices(
  { devices, mounts }: { readonly devices: Devices; readonly mounts: readonly Partial<VolumeMount>[] },
  place: Place,
  volumes: ReadonlySet<string>,
): Iterable<Issue> {
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [index, { name, devicePath = '' }] of devices.entries()) {
    const at = inside(place, index);
    yield* validateReference(name, inside(at, 'name'), volumes);
    if (names.has(name)) yield at()('name').invalid(name, 'must be unique');
    if (name !== '') names.add(name);
    if (devicePath === '') yield at()('devicePath').required();
    if (paths.has(devicePath)) yield at()('devicePath').invalid(devicePath, 'must be unique');
    if (hasBacksteps(devicePath)) yield at()('devicePath').invalid(devicePath, "can not contain backsteps ('..')");
    else paths.add(devicePath);
    if (mounts.some((mount) => (mount.name ?? '') === (name ?? '')))
      yield at()('name').invalid(name ?? '', 'must not already exist in volumeMounts');
    if (mounts.some(({ mountPath = '' }) => mountPath === devicePath))
      yield at()('devicePath').invalid(devicePath, 'must not already exist as a path in volumeMounts');
  }
}
