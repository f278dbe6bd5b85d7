import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import {
  csidrivers,
  nodes,
  persistentvolumeclaims,
  persistentvolumes,
  pods as podsType,
  volumeattachments,
} from '../../api/generated/kinds.ts';
import type { VolumeAttachment } from '../../api/generated/storage-v1.ts';
import type { Key } from '../../api/meta.ts';
import type { CacheEvent, Caches, Index } from '../../client/cache.ts';
import { attachmentsByNode, attachmentsByVolume, podsByNode } from '../../client/indexes.ts';
import { mountedClaims } from '../../resources/core/pod/claims.ts';
import { isDoneWithVolumes, isMadeName, isManaged } from '../../resources/storage/attaching.ts';
import { type Controller, mapped, nobody } from '../../runtime/controller.ts';
import { isHealthy, sameVolumes, volumeFacts } from './facts.ts';
import { type Observed as NodeObserved, plan as planNode } from './node-plan.ts';
import { type Memory, plan as planVolume, type Observed as VolumeObserved } from './volume-plan.ts';

/** Attaches volumes of drivers to the nodes where pods need them, and lets them go. By volume, so that each is attached by one. */
export const attachController: Controller<VolumeObserved, Memory> = {
  name: 'attachdetach',
  watches: [
    mapped(persistentvolumes, ({ object }, caches) => (isDrivers(object) ? keysFor(object, caches) : nobody)),
    mapped(persistentvolumeclaims, ({ object }, caches) => volumeOf(object, caches)),
    mapped(podsType, (event, caches) => (mayChange(event) ? volumesOfPod(event.object, caches) : nobody)),
    mapped(volumeattachments, ({ object: { spec } }, caches) => named(spec.source.persistentVolumeName, caches)),
    mapped(csidrivers, ({ object }, caches) =>
      caches
        .of(persistentvolumes)
        .by(volumesByDriver, object.metadata.name)
        .map(({ metadata }) => metadata.name),
    ),
    mapped(nodes, (event, caches) => (mayMatter(event) ? volumesOfNode(event, caches) : nobody)),
  ],
  observe: (name, caches, memory) => {
    const volume = caches.of(persistentvolumes).get(name);
    const first = volume && sameVolumes(volume, caches)[0];
    if (first !== undefined && first !== volume) return undefined;
    const facts = volumeFacts(name, caches);
    return facts.volume === undefined && facts.attachments.length === 0 ? undefined : { ...facts, memory };
  },
  plan: planVolume,
};

/** Tells nodes what is attached to them, and their pods what was. */
export const attachedController: Controller<NodeObserved> = {
  name: 'attachdetach-status',
  source: 'attachdetach-controller',
  watches: [
    mapped(volumeattachments, ({ object }) => [object.spec.nodeName]),
    mapped(persistentvolumes, ({ object }, caches) =>
      isDrivers(object) ? nodesOf(object.metadata.name, caches) : nobody,
    ),
    mapped(persistentvolumeclaims, ({ object }, caches) =>
      volumeOf(object, caches).flatMap((volume) => nodesOf(volume, caches)),
    ),
    mapped(podsType, (event, caches) => {
      const { nodeName = '' } = event.object.spec;
      return mayChange(event) && attachmentsOn(nodeName, caches).length > 0 ? [nodeName] : nobody;
    }),
    mapped(nodes, (event, caches) => {
      const { metadata, status } = event.object;
      const isEmpty = status.volumesAttached === undefined && attachmentsOn(metadata.name, caches).length === 0;
      return !isEmpty && mayMatter(event) ? [metadata.name] : nobody;
    }),
  ],
  reads: [csidrivers],
  observe: observeNode,
  plan: planNode,
};

function observeNode(name: string, caches: Caches): NodeObserved | undefined {
  const node = caches.of(nodes).get(name);
  if (node === undefined) return undefined;
  const attached = attachmentsOn(name, caches).flatMap((attachment) => {
    const volume = attachment.spec.source.persistentVolumeName;
    const isMade = volume !== undefined && isMadeName(attachment.metadata.name);
    return isMade ? [{ attachment, facts: volumeFacts(volume, caches) }] : [];
  });
  return { node, attached };
}

function attachmentsOn(node: string, caches: Caches): readonly VolumeAttachment[] {
  return caches.of(volumeattachments).by(attachmentsByNode, node);
}

function named(name: string | undefined, caches: Caches): readonly Key[] {
  const volume = name === undefined ? undefined : caches.of(persistentvolumes).get(name);
  if (volume !== undefined) return keysFor(volume, caches);
  return name === undefined ? nobody : [name];
}

/** Its own, and that of the one that stands for it. */
function keysFor(volume: PersistentVolume, caches: Caches): readonly Key[] {
  const [first = volume] = sameVolumes(volume, caches);
  return first === volume ? [volume.metadata.name] : [volume.metadata.name, first.metadata.name];
}

function nodesOf(volume: string, caches: Caches): readonly Key[] {
  return caches
    .of(volumeattachments)
    .by(attachmentsByVolume, volume)
    .map(({ spec }) => spec.nodeName);
}

function isDrivers({ spec }: PersistentVolume): boolean {
  return spec.csi !== undefined;
}

const volumesByDriver: Index<PersistentVolume> = {
  name: 'spec.csi.driver',
  valuesOf: ({ spec: { csi } }) => (csi === undefined ? [] : [csi.driver]),
};

/** What a pod mounts never changes: what counts is where it is, and whether it is done. */
function mayChange({ type, object, previous }: CacheEvent<Pod>): boolean {
  if ((object.spec.nodeName ?? '') === '' || mountedClaims(object).length === 0) return false;
  if (type !== 'updated' || previous.spec.nodeName !== object.spec.nodeName) return true;
  return isDoneWithVolumes(previous) !== isDoneWithVolumes(object);
}

function volumesOfPod(pod: Pod, caches: Caches): readonly Key[] {
  return mountedClaims(pod).flatMap(({ key }) => {
    const claim = caches.of(persistentvolumeclaims).get(key);
    return claim === undefined ? nobody : volumeOf(claim, caches);
  });
}

function volumeOf({ spec: { volumeName = '' } }: PersistentVolumeClaim, caches: Caches): readonly Key[] {
  const volume = volumeName === '' ? undefined : caches.of(persistentvolumes).get(volumeName);
  return volume !== undefined && isDrivers(volume) ? keysFor(volume, caches) : nobody;
}

/** Signs of life are none of these. */
function mayMatter({ type, object, previous }: CacheEvent<Node>): boolean {
  return (
    type !== 'updated' ||
    previous.spec.taints !== object.spec.taints ||
    previous.status.volumesInUse !== object.status.volumesInUse ||
    previous.status.volumesAttached !== object.status.volumesAttached ||
    isHealthy(previous) !== isHealthy(object) ||
    isManaged(previous) !== isManaged(object)
  );
}

function volumesOfNode({ type, object, previous }: CacheEvent<Node>, caches: Caches): readonly Key[] {
  const { name } = object.metadata;
  const there = attachmentsOn(name, caches).flatMap(({ spec }) => named(spec.source.persistentVolumeName, caches));
  if (type === 'updated' && isManaged(previous) === isManaged(object)) return there;
  const pods = caches.of(podsType).by(podsByNode, name);
  return [...there, ...pods.flatMap((pod) => volumesOfPod(pod, caches))];
}
