/** What claims and volumes say about each other. */
import type {
  ObjectReference,
  PersistentVolume,
  PersistentVolumeClaim,
  TopologySelectorTerm,
} from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { compileSelector } from '../../api/selector/selector.ts';
import { storageClassAnnotation } from './persistentvolume.ts';

export const bindCompletedAnnotation = 'pv.kubernetes.io/bind-completed';
export const boundByControllerAnnotation = 'pv.kubernetes.io/bound-by-controller';
/** On a claim: who is to make its volume. Provisioners look for what is theirs by it; older ones by the second. */
export const provisionerAnnotations: readonly string[] = [
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
];
export const provisionedByAnnotation = 'pv.kubernetes.io/provisioned-by';
/** On a claim: the node where its first pod goes, for who makes the volume. */
export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';

/** The name of the volume that is provisioned for a claim: always the same, so that no claim ever gets two. */
export function provisionedName({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid}`;
}

/** Undefined: the claim leaves it to the default class. Empty: no class at all. */
export function classOfClaim({ metadata, spec }: PersistentVolumeClaim): string | undefined {
  return metadata.annotations?.[storageClassAnnotation] ?? spec.storageClassName;
}

export function classOfVolume({ metadata, spec }: PersistentVolume): string {
  return metadata.annotations?.[storageClassAnnotation] ?? spec.storageClassName ?? '';
}

export function isAnnotated(object: PersistentVolume | PersistentVolumeClaim, annotation: string): boolean {
  return object.metadata.annotations?.[annotation] !== undefined;
}

/** Bound to this claim, or promised to one of its name. */
export function isMeantFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { namespace, name, uid = '' } = spec.claimRef ?? {};
  return namespace === metadata.namespace && name === metadata.name && (uid === '' || uid === metadata.uid);
}

export function referenceTo({ apiVersion, kind, metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}

export function storageOf(amounts: Readonly<Record<string, string>> | undefined): bigint {
  return parseQuantity(amounts?.['storage'] ?? '0') ?? 0n;
}

/** Why a claim cannot have the volume that it names. */
export function refusal(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { deletionTimestamp, name } = volume.metadata;
  if (deletionTimestamp !== undefined) return `the volume is marked for deletion "${name}"`;
  if (isTooSmall(volume, claim)) return tooSmall;
  if (classOfVolume(volume) !== (classOfClaim(claim) ?? '')) return 'storageClassName does not match';
  return mismatch(volume, claim);
}

const tooSmall = 'requested PV is too small';

function isTooSmall(volume: PersistentVolume, { spec }: PersistentVolumeClaim): boolean {
  return storageOf(volume.spec.capacity) < storageOf(spec.resources?.requests);
}

/** Why the volume cannot serve the claim; undefined when it can. The class is not looked at. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { spec } = claim;
  if (isTooSmall(volume, claim)) return tooSmall;
  if ((volume.spec.volumeAttributesClassName ?? '') !== (spec.volumeAttributesClassName ?? ''))
    return 'volumeAttributesClassName does not match';
  if ((volume.spec.volumeMode ?? 'Filesystem') !== (spec.volumeMode ?? 'Filesystem')) return 'incompatible volumeMode';
  const offered = volume.spec.accessModes ?? [];
  if (!(spec.accessModes ?? []).every((mode) => offered.includes(mode))) return 'incompatible accessMode';
  return undefined;
}

/** The volume as it is once it is promised to the claim; itself where it is. */
export function promisedTo(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolume {
  const { claimRef } = volume.spec;
  if (claimRef?.uid === claim.metadata.uid) return volume;
  const isOurs = claimRef === undefined;
  const annotations = { ...volume.metadata.annotations, ...(isOurs && { [boundByControllerAnnotation]: 'yes' }) };
  const spec = { ...volume.spec, claimRef: referenceTo(claim) };
  return { ...volume, metadata: { ...volume.metadata, annotations }, spec } as PersistentVolume;
}

/** Why a volume that nobody has is not for the claim; undefined when it is. */
export function whyUnfit(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  return unfitFor(claim)(volume);
}

/** The first rule that says no. What the claim selects is compiled once. */
function unfitFor(claim: PersistentVolumeClaim): (volume: PersistentVolume) => string | undefined {
  const wantedClass = classOfClaim(claim) ?? '';
  const selects = claim.spec.selector === undefined ? () => true : compileSelector(claim.spec.selector);
  return (volume) => {
    const ownClass = classOfVolume(volume);
    if (ownClass !== wantedClass) return `its class is ${ownClass === '' ? 'none' : ownClass}`;
    if (volume.metadata.deletionTimestamp !== undefined) return 'it is being deleted';
    if (!isUsable(volume)) return `its phase is ${volume.status?.phase}`;
    return (
      mismatch(volume, claim) ??
      (selects(volume.metadata.labels) ? undefined : 'the selector does not match its labels')
    );
  };
}

/** Volumes that fit the claim and that nobody has, the smallest first. */
export function fittingVolumes(
  claim: PersistentVolumeClaim,
  free: Iterable<PersistentVolume>,
): readonly PersistentVolume[] {
  const unfit = unfitFor(claim);
  const fitting = [...free].filter((volume) => volume.spec.claimRef === undefined && unfit(volume) === undefined);
  return fitting.sort((a, b) => compared(storageOf(a.spec.capacity), storageOf(b.spec.capacity)));
}

function compared(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Of the volumes without a claim the smallest that fits, of those first that offer the fewest ways of access besides; a volume that waits for
 * this very claim comes before all.
 */
export function bestVolume(
  claim: PersistentVolumeClaim,
  { promised, free }: { readonly promised: readonly PersistentVolume[]; readonly free: readonly PersistentVolume[] },
): PersistentVolume | undefined {
  const own = promised.find((volume) => isUsable(volume) && isMeantFor(volume, claim) && !mismatch(volume, claim));
  if (own !== undefined) return own;
  const fitting = fittingVolumes(claim, free);
  const fewest = Math.min(...fitting.map(modesOf));
  return fitting.find((volume) => modesOf(volume) === fewest);
}

function modesOf({ spec }: PersistentVolume): number {
  return spec.accessModes?.length ?? 0;
}

function isUsable({ metadata, status }: PersistentVolume): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Failed' && status?.phase !== 'Released';
}

/** Whether volumes of a class with these topologies can be reached from a node. Terms are alternatives; none allows all. */
export function allowsTopology(
  terms: readonly TopologySelectorTerm[],
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    terms.length === 0 ||
    terms.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? '')),
    )
  );
}
