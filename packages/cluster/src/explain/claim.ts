import type { PersistentVolume, PersistentVolumeClaim } from '../api/generated/core-v1.ts';
import {
  persistentvolumeclaims,
  persistentvolumes,
  storageclasses,
  volumeattachments,
} from '../api/generated/kinds.ts';
import { keyOf } from '../api/meta.ts';
import { describeTerms } from '../api/selector/words.ts';
import {
  classOfClaim,
  classOfVolume,
  selectedNodeAnnotation,
  storageOf,
  whyUnfit,
} from '../resources/core/volume-binding.ts';
import { defaultClassOf } from '../resources/storage/storageclass.ts';
import { describeTopologies } from '../scheduler/volumes/lacks.ts';
import { usersOf, whyClaimWaits } from './claims.ts';
import type { Cause, Explanation, Group } from './explanation.ts';
import { grouped, namesOf, type Said } from './groups.ts';
import { podGroups } from './pods.ts';
import type { ExplainWorld, Subject } from './world.ts';

/** Why it has no volume, and which volumes would not do; who mounts it, and what keeps it from going. */
export function explainClaim(
  { namespace = '', name }: Subject,
  { world }: { readonly world: ExplainWorld },
): Explanation | undefined {
  const key = `${namespace}/${name}`;
  const claim = world.caches.of(persistentvolumeclaims).get(key);
  if (claim === undefined) return undefined;
  const volume = world.caches.of(persistentvolumes).get(claim.spec.volumeName ?? '');
  const said = whyClaimWaits(key, world);
  const growth = said === undefined ? growthCause(claim, { volume, world }) : undefined;
  const users = podGroups(usersOf(claim, world), { world });
  const first: Cause | undefined = said && { cause: said.why ?? said.state, mend: said.mend ?? '' };
  return {
    subject: { kind: 'PersistentVolumeClaim', namespace, name },
    outcome: said?.state === 'is lost' ? 'failed' : said === undefined && growth === undefined ? 'settled' : 'waits',
    summary: summaryOf(claim, { state: said?.state, growth }),
    causes: [...(first === undefined ? [] : [first]), ...(growth === undefined ? [] : [growth])],
    facts: factsOf(claim, { volume, world }),
    groups: [...(said?.state === 'waits' ? volumeGroups(claim, world) : []), ...users],
  };
}

function summaryOf(
  { spec }: PersistentVolumeClaim,
  { state, growth }: { readonly state: string | undefined; readonly growth: Cause | undefined },
): string {
  switch (state) {
    case 'is going':
      return 'is being deleted, and still there';
    case 'is lost':
      return 'has lost its volume';
    case undefined:
      return `is bound to volume ${spec.volumeName}${growth === undefined ? '' : ', which is smaller than it asks for'}`;
    default:
      return 'has no volume yet';
  }
}

function growthCause(
  { spec, status }: PersistentVolumeClaim,
  { volume, world }: { readonly volume: PersistentVolume | undefined; readonly world: ExplainWorld },
): Cause | undefined {
  const capacity = status?.capacity ?? volume?.spec.capacity;
  if (storageOf(spec.resources?.requests) <= storageOf(capacity)) return undefined;
  const asks = `it asks for ${spec.resources?.requests?.['storage']} and has ${capacity?.['storage'] ?? 'nothing'}`;
  const className = volume === undefined ? '' : classOfVolume(volume);
  const storageClass = world.caches.of(storageclasses).get(className);
  return storageClass?.allowVolumeExpansion === true
    ? { cause: `${asks}: whoever provisions ${className} has yet to let it grow`, mend: '' }
    : {
        cause: `${asks}: ${className === '' ? 'a volume without a class' : `its class ${className}`} does not grow`,
        mend: className === '' ? '' : `kubectl patch storageclass ${className} -p '{"allowVolumeExpansion":true}'`,
      };
}

/** Of the volumes that nobody has any more: why each would not do. */
function volumeGroups(claim: PersistentVolumeClaim, { caches }: ExplainWorld): readonly Group[] {
  const free = [...caches.of(persistentvolumes).values()].filter(
    ({ spec, status }) => spec.claimRef === undefined || status?.phase === 'Released',
  );
  return grouped(
    'volume',
    free.map((volume) => ({ name: volume.metadata.name, said: volumeSaid(volume, claim) })),
  );
}

function volumeSaid(volume: PersistentVolume, claim: PersistentVolumeClaim): Said {
  const why = whyUnfit(volume, claim);
  if (why === undefined) return { state: 'fits' };
  if (volume.status?.phase !== 'Released') return { state: 'does not fit', why };
  return {
    state: 'does not fit',
    why: 'it is kept for a claim that is gone (Released)',
    mend: `when what is in it may be given away: kubectl patch persistentvolume ${volume.metadata.name} -p '{"spec":{"claimRef":null}}'`,
  };
}

function factsOf(
  claim: PersistentVolumeClaim,
  { volume, world }: { readonly volume: PersistentVolume | undefined; readonly world: ExplainWorld },
): Explanation['facts'] {
  const { spec, status, metadata } = claim;
  const classes = world.caches.of(storageclasses);
  const className = classOfClaim(claim) ?? defaultClassOf(classes.values())?.metadata.name;
  const storageClass = className === undefined ? undefined : classes.get(className);
  const attached = [...world.caches.of(volumeattachments).values()]
    .filter((each) => each.spec.source.persistentVolumeName === volume?.metadata.name && each.status?.attached === true)
    .map((each) => each.spec.nodeName);
  const selected = metadata.annotations?.[selectedNodeAnnotation];
  const place = placeOf(volume);
  const topologies = storageClass && describeTopologies(storageClass);
  return {
    phase: status?.phase ?? 'Pending',
    ...(volume !== undefined && { volume: volume.metadata.name }),
    requested: spec.resources?.requests?.['storage'] ?? '0',
    ...(status?.capacity?.['storage'] !== undefined && { capacity: status.capacity['storage'] }),
    accessModes: (spec.accessModes ?? []).join(', '),
    storageClass: className === undefined || className === '' ? 'none' : className,
    ...(storageClass !== undefined && {
      volumeBindingMode: storageClass.volumeBindingMode ?? 'Immediate',
      provisioner: storageClass.provisioner,
    }),
    ...(place !== undefined && { reachedFrom: place }),
    ...(topologies !== undefined && volume === undefined && { madeWhere: topologies }),
    ...(volume !== undefined && { reclaimPolicy: volume.spec.persistentVolumeReclaimPolicy ?? 'Retain' }),
    ...(selected !== undefined && volume === undefined && { selectedNode: selected }),
    ...(attached.length > 0 && volume !== undefined && { attachedTo: namesOf(attached) }),
    usedBy: usersOf(claim, world).map(keyOf).length,
    ...((metadata.finalizers ?? []).length > 0 && { finalizers: (metadata.finalizers ?? []).join(', ') }),
  };
}

/** Which nodes reach the volume; undefined: all, or there is none. */
export function placeOf(volume: PersistentVolume | undefined): string | undefined {
  const terms = volume?.spec.nodeAffinity?.required?.nodeSelectorTerms;
  return terms && describeTerms(terms);
}
