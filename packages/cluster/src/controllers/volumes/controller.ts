import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import {
  csidrivers,
  nodes,
  persistentvolumeclaims,
  persistentvolumes,
  pods,
  storageclasses,
} from '../../api/generated/kinds.ts';
import { type Key, keyOf } from '../../api/meta.ts';
import type { Caches, Index } from '../../client/cache.ts';
import { mountedClaims } from '../../resources/core/pod/claims.ts';
import { classOfClaim, classOfVolume, selectedNodeAnnotation } from '../../resources/core/volume-binding.ts';
import { defaultClassOf } from '../../resources/storage/storageclass.ts';
import { type Controller, mapped, nobody, primary } from '../../runtime/controller.ts';
import { podsByClaim } from '../../workloads/indexes.ts';
import { type Observed as ClaimObserved, isShutDown, plan as planClaim } from './claim-plan.ts';
import { plan as planVolume, type Observed as VolumeObserved } from './volume-plan.ts';

/** Finds or makes a volume for every PersistentVolumeClaim. */
export const claimController: Controller<ClaimObserved> = {
  name: 'persistentvolume',
  watches: [
    primary(persistentvolumeclaims),
    mapped(persistentvolumes, function* ({ object, previous }, caches) {
      for (const volume of previous === undefined ? [object] : [object, previous]) {
        const { namespace, name } = volume.spec.claimRef ?? {};
        if (name !== undefined) yield `${namespace}/${name}`;
        else for (const claim of caches.of(persistentvolumeclaims).by(waitingClaims, '')) yield keyOf(claim);
      }
      for (const claim of caches.of(persistentvolumeclaims).by(claimsByVolume, object.metadata.name))
        yield keyOf(claim);
    }),
    mapped(storageclasses, function* (_event, caches) {
      for (const claim of caches.of(persistentvolumeclaims).by(waitingClaims, '')) yield keyOf(claim);
    }),
    // Whether its volumes are simulated.
    mapped(csidrivers, function* (_event, caches) {
      for (const claim of caches.of(persistentvolumeclaims).by(waitingClaims, '')) yield keyOf(claim);
    }),
    mapped(nodes, function* ({ type, object }, caches) {
      if (type !== 'deleted') return;
      for (const claim of caches.of(persistentvolumeclaims).by(claimsBySelectedNode, object.metadata.name))
        yield keyOf(claim);
    }),
    // What a pod mounts never changes; whether it is placed, or shut down, matters to a claim that is to go.
    mapped(pods, ({ type, object, previous }) => {
      const isNews =
        type !== 'updated' ||
        object.spec.nodeName !== previous.spec.nodeName ||
        isShutDown(object) !== isShutDown(previous);
      return isNews ? mountedClaims(object).map(({ key }) => key) : nobody;
    }),
  ],
  observe: observeClaim,
  plan: planClaim,
};

/** Keeps the phase of every PersistentVolume, and reclaims those whose claim is gone. */
export const volumeController: Controller<VolumeObserved> = {
  name: 'persistentvolume-reclaim',
  source: 'persistentvolume-controller',
  watches: [
    primary(persistentvolumes),
    mapped(persistentvolumeclaims, function* ({ object }, caches) {
      const { volumeName = '' } = object.spec;
      if (volumeName !== '') yield volumeName;
      for (const { metadata } of caches.of(persistentvolumes).by(volumesByClaim, keyOf(object))) yield metadata.name;
    }),
  ],
  observe: observeVolume,
  plan: planVolume,
};

const waitingClaims: Index<PersistentVolumeClaim> = {
  name: 'claims without a volume',
  valuesOf: ({ spec, status }) => ((spec.volumeName ?? '') === '' || status?.phase !== 'Bound' ? [''] : []),
};

const claimsBySelectedNode: Index<PersistentVolumeClaim> = {
  name: 'selected node',
  valuesOf: ({ metadata, spec }) => {
    const node = metadata.annotations?.[selectedNodeAnnotation];
    return node === undefined || (spec.volumeName ?? '') !== '' ? [] : [node];
  },
};

const claimsByVolume: Index<PersistentVolumeClaim> = {
  name: 'spec.volumeName',
  valuesOf: ({ spec }) => ((spec.volumeName ?? '') === '' ? [] : [spec.volumeName ?? '']),
};

const volumesByClaim: Index<PersistentVolume> = {
  name: 'spec.claimRef',
  valuesOf: ({ spec }) => (spec.claimRef === undefined ? [] : [`${spec.claimRef.namespace}/${spec.claimRef.name}`]),
};

const freeVolumes: Index<PersistentVolume> = {
  name: 'storage class of volumes without a claim',
  valuesOf: (volume) => (volume.spec.claimRef === undefined ? [classOfVolume(volume)] : []),
};

export function observeClaim(key: Key, caches: Caches): ClaimObserved | undefined {
  const claim = caches.of(persistentvolumeclaims).get(key);
  if (claim === undefined) return undefined;
  const { volumeName = '' } = claim.spec;
  const className = classOfClaim(claim);
  const volumes = caches.of(persistentvolumes);
  const classes = caches.of(storageclasses);
  const selectedNode = claim.metadata.annotations?.[selectedNodeAnnotation];
  const storageClass = className === undefined ? undefined : classes.get(className);
  return {
    claim,
    volume: volumeName === '' ? undefined : volumes.get(volumeName),
    promised: volumeName === '' ? volumes.by(volumesByClaim, key) : [],
    free: volumeName === '' ? volumes.by(freeVolumes, className ?? '') : [],
    storageClass,
    driver: storageClass && caches.of(csidrivers).get(storageClass.provisioner),
    defaultClass: className === undefined ? defaultClassOf(classes.values()) : undefined,
    users: caches.of(pods).by(podsByClaim, key),
    selectedNode: selectedNode === undefined ? undefined : caches.of(nodes).get(selectedNode),
  };
}

export function observeVolume(key: Key, caches: Caches): VolumeObserved | undefined {
  const volume = caches.of(persistentvolumes).get(key);
  if (volume === undefined) return undefined;
  const { claimRef } = volume.spec;
  const claim =
    claimRef === undefined
      ? undefined
      : caches.of(persistentvolumeclaims).get(`${claimRef.namespace}/${claimRef.name}`);
  return { volume, claim };
}
