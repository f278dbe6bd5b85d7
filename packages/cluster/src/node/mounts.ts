import type { Node, Pod } from '../api/generated/core-v1.ts';
import { csidrivers, persistentvolumeclaims, persistentvolumes } from '../api/generated/kinds.ts';
import { type Key, keyOf } from '../api/meta.ts';
import type { Caches } from '../client/cache.ts';
import { type MountedClaim, mountedClaims } from '../resources/core/pod/claims.ts';
import { isPodTerminal } from '../resources/core/pod/facts.ts';
import {
  attachedVolumes,
  boundVolume,
  driverVolumeOf,
  statusName,
  type VolumeObjects,
} from '../resources/storage/attaching.ts';
import type { PodEvent } from './driver.ts';

/**
 * What pods mount that is attached to their nodes. A node says first that it uses a volume, and counts on it only when its status says that it
 * is attached: so nobody takes away what is mounted. Of pods that mount no such volume, which is most of them, nothing is kept.
 */
export interface Mounts {
  /** Notes what the pod uses on its node. Undefined: its containers may start. */
  lacking(pod: Pod, node: Node): Lack | undefined;
  /** Called so in the status of the node. */
  inUse(node: string): readonly string[];
  /** Pods that wait for what may have been attached now. */
  waiting(node: string): Iterable<Key>;
  forget(pod: Pod): void;
}

export interface Lack {
  /** To be told once. */
  readonly event?: PodEvent;
  /** When to look again: nobody says so when a claim is bound. */
  readonly againInMs?: number;
}

interface Place {
  /** Names of volumes by pod. */
  readonly users: Map<Key, readonly string[]>;
  readonly waiting: Set<Key>;
}

const unboundRetryMs = 1_000;
const toldOf: Lack = Object.freeze({});
const nothing: readonly never[] = Object.freeze([]);

export function createMounts(caches: Caches, changed: (node: string) => void): Mounts {
  const places = new Map<string, Place>();
  const objects: VolumeObjects = {
    claim: (key) => caches.of(persistentvolumeclaims).get(key),
    volume: (name) => caches.of(persistentvolumes).get(name),
    driver: (name) => caches.of(csidrivers).get(name),
  };
  const place = (node: string): Place => {
    const known = places.get(node) ?? { users: new Map(), waiting: new Set() };
    places.set(node, known);
    return known;
  };
  const uses = (node: string, key: Key, names: readonly string[]): void => {
    const before = places.get(node)?.users.get(key) ?? nothing;
    if (before.join() === names.join()) return;
    if (names.length === 0) places.get(node)?.users.delete(key);
    else place(node).users.set(key, names);
    changed(node);
  };
  const forget = (node: string, key: Key): void => {
    uses(node, key, nothing);
    const known = places.get(node);
    known?.waiting.delete(key);
    if (known?.users.size === 0 && known.waiting.size === 0) places.delete(node);
  };
  return {
    lacking(pod, node) {
      const claims = mountedClaims(pod);
      if (claims.length === 0) return undefined;
      const { name } = node.metadata;
      const key = keyOf(pod);
      if (isPodTerminal(pod)) {
        forget(name, key);
        return undefined;
      }
      const names = attachedVolumes(pod, objects).map(nameOf);
      uses(name, key, names);
      const open = claims.filter((claim) => boundVolume(claim.key, objects) === undefined);
      const isThere = open.length === 0 && names.every((volume) => isMountable(volume, node));
      if (isThere) {
        places.get(name)?.waiting.delete(key);
        return undefined;
      }
      const isNews = !place(name).waiting.has(key);
      place(name).waiting.add(key);
      if (open.length === 0) return toldOf;
      return { againInMs: unboundRetryMs, ...(isNews && { event: notBound(pod, { open, objects }) }) };
    },
    inUse: (node) => [...new Set([...(places.get(node)?.users.values() ?? [])].flat())].sort(),
    waiting: (node) => places.get(node)?.waiting ?? nothing,
    forget: (pod) => forget(pod.spec.nodeName ?? '', keyOf(pod)),
  };
}

function nameOf(volume: Parameters<typeof driverVolumeOf>[0]): string {
  const known = driverVolumeOf(volume);
  return known === undefined ? '' : statusName(known);
}

function isMountable(volume: string, { status: { volumesAttached = [], volumesInUse = [] } }: Node): boolean {
  return volumesInUse.includes(volume) && volumesAttached.some(({ name }) => name === volume);
}

interface Open {
  readonly open: readonly MountedClaim[];
  readonly objects: VolumeObjects;
}

/** As a kubelet says it of a pod that names its node itself; the scheduler waits for its claims. */
function notBound({ spec }: Pod, { open, objects }: Open): PodEvent {
  const names = (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    open.some((each) => each.name === persistentVolumeClaim?.claimName) ||
    (ephemeral !== undefined && open.some((each) => each.isEphemeral && each.name.endsWith(`-${name}`)))
      ? [name]
      : [],
  );
  const why = open.map(({ key, name }) =>
    objects.claim(key) === undefined
      ? `error processing PVC ${key}: failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found`
      : `error processing PVC ${key}: PVC is not bound`,
  );
  const list = `[${names.join(' ')}]`;
  const note = `Unable to attach or mount volumes: unmounted volumes=${list}, unattached volumes=[], failed to process volumes=${list}: ${why.join(', ')}`;
  return { type: 'Warning', reason: 'FailedMount', note };
}
