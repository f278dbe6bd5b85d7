import type { Node, PersistentVolume, Pod } from '../../api/generated/core-v1.ts';
import {
  csidrivers,
  nodes,
  persistentvolumeclaims,
  persistentvolumes,
  pods,
  volumeattachments,
} from '../../api/generated/kinds.ts';
import type { VolumeAttachment } from '../../api/generated/storage-v1.ts';
import type { Caches, Index } from '../../client/cache.ts';
import { attachmentsByVolume } from '../../client/indexes.ts';
import {
  attachmentName,
  boundVolume,
  type DriverVolume,
  driverVolumeOf,
  isAttached,
  isDoneWithVolumes,
  isMadeName,
  isManaged,
  parseStatusName,
  statusName,
  type VolumeObjects,
} from '../../resources/storage/attaching.ts';
import { podsByClaim } from '../../workloads/indexes.ts';

/** A volume, who uses it where, and where it is attached. */
export interface VolumeFacts {
  /** As its name says; undefined where it is gone, or no driver's that attaches. */
  readonly volume: PersistentVolume | undefined;
  /** By node: the pods there for which it has to be attached. */
  readonly users: ReadonlyMap<string, readonly Pod[]>;
  /** Those that a controller has made. */
  readonly attachments: readonly VolumeAttachment[];
  /** Where it is attached or wanted; those that are gone are not among them. */
  readonly nodes: ReadonlyMap<string, Node>;
}

export function objectsIn(caches: Caches): VolumeObjects {
  return {
    claim: (key) => caches.of(persistentvolumeclaims).get(key),
    volume: (name) => caches.of(persistentvolumes).get(name),
    driver: (name) => caches.of(csidrivers).get(name),
  };
}

export function volumeFacts(name: string, caches: Caches): VolumeFacts {
  const volume = attachable(name, caches);
  const same = volume === undefined ? [] : sameVolumes(volume, caches);
  const attachments = (same.length === 0 ? [name] : same.map(({ metadata }) => metadata.name))
    .flatMap((each) => caches.of(volumeattachments).by(attachmentsByVolume, each))
    .filter(({ metadata }) => isMadeName(metadata.name));
  const users = usersOf(same, caches);
  const found = new Map<string, Node>();
  for (const name of [...users.keys(), ...attachments.map(({ spec }) => spec.nodeName)]) {
    const node = caches.of(nodes).get(name);
    if (node !== undefined) found.set(name, node);
  }
  return { volume, users, attachments, nodes: found };
}

/** Two volumes here may be one and the same for their driver, which attaches it once to each node. The first of them stands for all. */
export function sameVolumes(volume: PersistentVolume, caches: Caches): readonly PersistentVolume[] {
  const known = driverVolumeOf(volume);
  if (known === undefined) return [];
  const same = caches.of(persistentvolumes).by(volumesByStatusName, statusName(known));
  return same.length < 2 ? same : same.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

const volumesByStatusName: Index<PersistentVolume> = {
  name: 'volume of a driver',
  valuesOf: (volume) => {
    const known = driverVolumeOf(volume);
    return known === undefined ? [] : [statusName(known)];
  },
};

function attachable(name: string, caches: Caches): PersistentVolume | undefined {
  const volume = caches.of(persistentvolumes).get(name);
  const { driver } = (volume && driverVolumeOf(volume)) ?? {};
  return driver !== undefined && isAttached(caches.of(csidrivers).get(driver)) ? volume : undefined;
}

function usersOf(volumes: readonly PersistentVolume[], caches: Caches): VolumeFacts['users'] {
  const users = new Map<string, Pod[]>();
  for (const pod of volumes.flatMap((volume) => mountersOf(volume, caches))) {
    const { nodeName = '' } = pod.spec;
    if (nodeName === '' || isDoneWithVolumes(pod)) continue;
    const there = users.get(nodeName);
    if (there !== undefined) there.push(pod);
    else if (mayBeManaged(nodeName, caches)) users.set(nodeName, [pod]);
  }
  return users;
}

function mountersOf(volume: PersistentVolume, caches: Caches): readonly Pod[] {
  const { namespace, name } = volume.spec.claimRef ?? {};
  const claim = `${namespace}/${name}`;
  if (name === undefined || boundVolume(claim, objectsIn(caches)) !== volume) return [];
  return caches.of(pods).by(podsByClaim, claim);
}

/** Nothing is attached to a node that is gone, and what was is kept for as long as pods are there. */
function mayBeManaged(name: string, caches: Caches): boolean {
  const node = caches.of(nodes).get(name);
  return node === undefined || isManaged(node);
}

/** Whether pods on its node need what it attaches. */
export function isWanted({ metadata, spec }: VolumeAttachment, { volume, users }: VolumeFacts): boolean {
  const known = volume && driverVolumeOf(volume);
  return known !== undefined && users.has(spec.nodeName) && metadata.name === attachmentName(known, spec.nodeName);
}

/** Whether the node itself says that it has not let go of it yet. Of one that is marked as dead that says nothing. */
export function isInUse({ metadata }: VolumeAttachment, node: Node): boolean {
  return !isOutOfService(node) && has(node.status.volumesInUse ?? [], { attachment: metadata.name, node });
}

export function isListed({ metadata }: VolumeAttachment, node: Node): boolean {
  const names = (node.status.volumesAttached ?? []).map(({ name }) => name);
  return has(names, { attachment: metadata.name, node });
}

/** Also of a volume that is gone: its name follows from what the node calls it. */
function has(names: readonly string[], { attachment, node }: { attachment: string; node: Node }): boolean {
  return names.some((name) => {
    const volume: DriverVolume | undefined = parseStatusName(name);
    return volume !== undefined && attachmentName(volume, node.metadata.name) === attachment;
  });
}

export function isOutOfService({ spec }: Node): boolean {
  return spec.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service') === true;
}

export function isGoing({ metadata }: VolumeAttachment): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isHealthy({ status }: Node): boolean {
  return status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}
