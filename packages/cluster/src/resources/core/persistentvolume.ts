import { posix } from 'node:path';
import type { CSIPersistentVolumeSource, PersistentVolume, PersistentVolumeSpec } from '../../api/generated/core-v1.ts';
import { persistentvolumes } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { dnsSubdomainProblems } from '../../api/names.ts';
import { toTimestamp } from '../../base/clock.ts';
import { equal } from '../../base/equal.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { oneOf, positiveQuantity, unchanged } from '../validation/fields.ts';
import { dnsSubdomain } from '../validation/names.ts';
import { endedSourceWarnings } from './given-up.ts';
import { iscsiIssues } from './iscsi.ts';
import { validateNodeSelector } from './pod/validation/scheduling.ts';
import { hostPathTypes } from './pod/validation/volume.ts';
import { defaultSharedSource } from './pod/volume-defaults.ts';
import { driverSecretIssues, isSharedSource, sharedSourceIssues } from './volume-sources.ts';

export const accessModes: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes: readonly string[] = ['Block', 'Filesystem'];
/** The storage class of volumes and claims before there was a field for it; it still wins. */
export const storageClassAnnotation = 'volume.beta.kubernetes.io/storage-class';
const olderAnnotations: readonly (readonly [annotation: string, instead: string])[] = [
  [storageClassAnnotation, 'deprecated since v1.8; use "storageClassName" attribute instead'],
  ['volume.beta.kubernetes.io/mount-options', 'deprecated since v1.31; use "mountOptions" attribute instead'],
];

const driverBytesMax = 63;

export const claimFinalizer = 'kubernetes.io/pvc-protection';
export const volumeFinalizer = 'kubernetes.io/pv-protection';

/** Where the bytes are: exactly one of these fields is set. */
/** In the order in which upstream looks at them: the first of several is the one that counts. */
const sources = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const satisfies readonly (keyof PersistentVolumeSpec)[];

export const persistentvolumeDefinition: ResourceDefinition<PersistentVolume> = defineResource(persistentvolumes, {
  schema: 'io.k8s.api.core.v1.PersistentVolume',
  traits: { returnsDeleted: true },
  shortNames: ['pv'],
  hasStatus: true,
  columns: [
    column('Capacity', ({ spec }) => spec.capacity?.['storage'] ?? ''),
    column('Access Modes', ({ spec }) => formatAccessModes(spec.accessModes)),
    column('Reclaim Policy', ({ spec }) => spec.persistentVolumeReclaimPolicy ?? ''),
    column('Status', ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating',
    ),
    column('Claim', ({ spec }) =>
      spec.claimRef === undefined ? '' : `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`,
    ),
    column(
      'StorageClass',
      ({ metadata, spec }) => metadata.annotations?.[storageClassAnnotation] ?? spec.storageClassName ?? '',
    ),
    column('VolumeAttributesClass', ({ spec }) => spec.volumeAttributesClassName ?? '<unset>'),
    column('Reason', ({ status }) => status?.reason ?? ''),
    column('VolumeMode', ({ spec }) => spec.volumeMode ?? '<unset>', { wide: true }),
  ],
  defaults(volume) {
    const { spec } = volume;
    return {
      ...volume,
      spec: {
        ...(spec && defaultSharedSource(spec)),
        persistentVolumeReclaimPolicy: spec?.persistentVolumeReclaimPolicy || 'Retain',
        volumeMode: spec?.volumeMode ?? 'Filesystem',
      },
    };
  },
  defaultStatus: (status: { readonly phase?: string }) =>
    (status.phase ?? '') === '' ? { ...status, phase: 'Pending' } : status,
  // Since when it is what it is counts for as long as it is so.
  defaultsByStatus(volume, { status: before }) {
    const { phase, lastPhaseTransitionTime } = volume.status ?? {};
    const since = before?.lastPhaseTransitionTime;
    if (phase !== before?.phase || lastPhaseTransitionTime !== undefined || since === undefined) return volume;
    return { ...volume, status: { ...volume.status, lastPhaseTransitionTime: since } };
  },
  prepareForCreate: (volume, { nowMs }) => ({
    ...volume,
    status: { phase: 'Pending', lastPhaseTransitionTime: toTimestamp(nowMs) },
  }),
  *warnings({ metadata, spec }) {
    for (const [annotation, instead] of olderAnnotations)
      if (metadata.annotations?.[annotation] !== undefined) yield `metadata.annotations[${annotation}]: ${instead}`;
    if (spec.persistentVolumeReclaimPolicy === 'Recycle')
      yield 'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
    // As upstream, which says nothing of these two here.
    const { flocker: _flocker, quobyte: _quobyte, ...told } = spec;
    yield* endedSourceWarnings(told, 'spec');
  },
  *validate({ metadata, spec }, root) {
    const at = root('spec');
    if ((spec.accessModes ?? []).length === 0) yield at('accessModes').required();
    else yield* accessModeIssues(spec.accessModes, at('accessModes'));
    yield* capacityIssues(spec, at('capacity'));
    yield* sourceIssues({ metadata, spec }, at);
    const recycles = spec.persistentVolumeReclaimPolicy === 'Recycle';
    if (recycles && spec.hostPath !== undefined && posix.normalize(spec.hostPath.path) === '/')
      yield at('persistentVolumeReclaimPolicy').forbidden("may not be 'recycle' for a hostPath mount of '/'");
    yield* placeIssues(spec, at('nodeAffinity'));
    if (spec.local !== undefined && spec.nodeAffinity === undefined && firstOf(spec) === 'local')
      yield at('nodeAffinity').required('Local volume requires node affinity');
    yield* oneOf(
      spec.persistentVolumeReclaimPolicy,
      ['Delete', 'Recycle', 'Retain'],
      at('persistentVolumeReclaimPolicy'),
    );
    yield* oneOf(spec.volumeMode, volumeModes, at('volumeMode'));
    if ((spec.storageClassName ?? '') !== '') yield* dnsSubdomain(spec.storageClassName ?? '', at('storageClassName'));
    const { volumeAttributesClassName: attributes, csi } = spec;
    if (attributes === undefined) return;
    if (attributes === '') yield at('volumeAttributesClassName').required('an empty string is disallowed');
    else yield* dnsSubdomain(attributes, at('volumeAttributesClassName'));
    if (csi === undefined) yield at('csi').required('has to be specified when using volumeAttributesClassName');
  },
  *validateUpdate({ spec: next }, { spec: current }, root) {
    const at = root('spec');
    if (sources.some((source) => !equal(sourceOf(next, source, current), current[source])))
      yield at('persistentvolumesource').forbidden('spec.persistentvolumesource is immutable after creation');
    // As upstream, which names the field without where it is.
    yield* unchanged(next.volumeMode, current.volumeMode, root('volumeMode'));
    // As upstream, here as well.
    if (current.nodeAffinity !== undefined && !equal(next.nodeAffinity, current.nodeAffinity))
      yield root('nodeAffinity').invalid(
        next.nodeAffinity,
        'field is immutable, except for updating from beta label to GA',
      );
    if (current.volumeAttributesClassName !== undefined && next.volumeAttributesClassName === undefined)
      yield at('volumeAttributesClassName').forbidden('update from non-nil value to nil is forbidden');
  },
});

export function* accessModeIssues(modes: readonly string[] | undefined, at: FieldPath): Iterable<Issue> {
  if (modes === undefined || modes.length === 0) {
    yield at.required('at least 1 access mode is required');
    return;
  }
  for (const mode of modes) yield* oneOf(mode, accessModes, at);
  if (
    modes.includes('ReadWriteOncePod') &&
    modes.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode))
  )
    yield at.forbidden('may not use ReadWriteOncePod with other access modes');
}

function* capacityIssues({ capacity }: PersistentVolumeSpec, at: FieldPath): Iterable<Issue> {
  const names = Object.keys(capacity ?? {});
  if (names.length === 0) yield at.required();
  if (capacity?.['storage'] === undefined || names.length > 1) yield at.notSupported(capacity ?? null, ['storage']);
  for (const [name, amount] of Object.entries(capacity ?? {})) yield* positiveQuantity(amount, at.key(name));
}

interface Sourced {
  readonly metadata: { readonly name: string };
  readonly spec: PersistentVolumeSpec;
}

function* placeIssues({ nodeAffinity }: PersistentVolumeSpec, at: FieldPath): Iterable<Issue> {
  if (nodeAffinity === undefined) return;
  const { required } = nodeAffinity;
  if (required === undefined) yield at('required').required('must specify required node constraints');
  else yield* validateNodeSelector(required, () => at('required'));
}

function firstOf(spec: PersistentVolumeSpec): (typeof sources)[number] | undefined {
  return sources.find((source) => spec[source] !== undefined);
}

/** A driver may be given the secret for growing a volume later. */
function sourceOf(
  next: PersistentVolumeSpec,
  source: (typeof sources)[number],
  { csi: before }: PersistentVolumeSpec,
): unknown {
  const { csi } = next;
  if (source !== 'csi' || csi === undefined || before === undefined || before.controllerExpandSecretRef !== undefined)
    return next[source];
  const { controllerExpandSecretRef: _new, ...others } = csi;
  return others;
}

function* sourceIssues({ metadata, spec }: Sourced, at: FieldPath): Iterable<Issue> {
  const [first, ...surplus] = sources.filter((source) => spec[source] !== undefined);
  if (first === undefined) yield at.required('must specify a volume type');
  // As upstream, which looks at one of them without a word, and calls another otherwise.
  for (const source of surplus)
    if (source !== 'flexVolume')
      yield at(source === 'cephfs' ? 'cephFS' : source).forbidden('may not specify more than 1 volume type');
  if (first === undefined) return;
  // As upstream, which calls two of them otherwise.
  const place = at(first === 'gcePersistentDisk' ? 'persistentDisk' : first);
  if (isSharedSource(first)) yield* sharedSourceIssues(first, spec[first] ?? {}, place);
  else yield* ownSourceIssues({ metadata, spec }, { first, at: place });
  const secret = first === 'cinder' || first === 'storageos' ? spec[first]?.secretRef : undefined;
  if (secret !== undefined && (secret.namespace ?? '') === '') yield place('secretRef', 'namespace').required();
}

function* ownSourceIssues(
  { metadata: { name }, spec: { hostPath, iscsi, local, csi } }: Sourced,
  { first, at }: { readonly first: (typeof sources)[number]; readonly at: FieldPath },
): Iterable<Issue> {
  if (first === 'hostPath' && hostPath !== undefined) {
    yield* folderIssues(hostPath.path, at('path'));
    yield* oneOf(hostPath.type, hostPathTypes, at('type'));
  }
  if (first === 'iscsi' && iscsi !== undefined) {
    const refuseName = (why: string): Issue => at('targetportal').invalid(iscsi.targetPortal, why);
    yield* iscsiIssues(iscsi, { at, name, refuseName, isOwn: true });
  }
  if (first === 'local' && local !== undefined) yield* folderIssues(local.path, at('path'));
  if (first === 'csi' && csi !== undefined) yield* driverIssues(csi, at);
}

function* folderIssues(path: string, at: FieldPath): Iterable<Issue> {
  if (path === '') yield at.required();
  else if (path.split('/').includes('..')) yield at.invalid(path, "must not contain '..'");
}

/** Of a volume that stands within what attaches it: where it is, how it is used, and nothing that a claim would ask for. */
export function* inlineVolumeIssues(spec: PersistentVolumeSpec, at: FieldPath): Iterable<Issue> {
  const nothing = 'may not be specified in the context of inline volumes';
  if (Object.keys(spec.capacity ?? {}).length > 0) yield at('capacity').forbidden(nothing);
  if (spec.claimRef !== undefined) yield at('claimRef').forbidden(nothing);
  if ((spec.persistentVolumeReclaimPolicy ?? 'Retain') !== 'Retain')
    yield at('persistentVolumeReclaimPolicy').forbidden('may only be Retain in the context of inline volumes');
  if (spec.nodeAffinity !== undefined) yield at('nodeAffinity').forbidden(nothing);
  if (spec.csi === undefined) yield at('csi').required('has to be specified in the context of inline volumes');
  if ((spec.storageClassName ?? '') !== '') yield at('storageClassName').forbidden(nothing);
  if ((spec.volumeMode ?? 'Filesystem') !== 'Filesystem')
    yield at('volumeMode').forbidden(
      'may not specify volumeMode other than Filesystem in the context of inline volumes',
    );
  if ((spec.accessModes ?? []).length === 0) yield at('accessModes').required();
  else yield* accessModeIssues(spec.accessModes, at('accessModes'));
  yield* sourceIssues({ metadata: { name: '' }, spec }, at);
}

const driverSecrets = ['controllerPublish', 'controllerExpand', 'nodePublish', 'nodeExpand'] as const;

function* driverIssues(source: CSIPersistentVolumeSource, at: FieldPath): Iterable<Issue> {
  const { driver, volumeHandle } = source;
  if (driver === '') yield at('driver').required();
  if (Buffer.byteLength(driver) > driverBytesMax) yield at('driver').tooLong(driver, driverBytesMax);
  for (const why of dnsSubdomainProblems(driver.toLowerCase())) yield at('driver').invalid(driver, why);
  if (volumeHandle === '') yield at('volumeHandle').required();
  for (const use of driverSecrets) {
    const secret = source[`${use}SecretRef`];
    if (secret !== undefined) yield* driverSecretIssues(secret, at(`${use}SecretRef`));
  }
}

const shortModes: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

/** `RWO,ROX`, in a fixed order and each once. */
export function formatAccessModes(modes: readonly string[] | undefined): string {
  return shortModes
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',');
}
