import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimStatus,
  TypedObjectReference,
} from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims } from '../../api/generated/kinds.ts';
import { type FieldPath, type Issue, root } from '../../api/issue.ts';
import { qualifiedNameProblems } from '../../api/names.ts';
import { parseQuantity, wholeValue } from '../../api/quantity.ts';
import { without } from '../../api/record.ts';
import { validateSelector } from '../../api/selector/selector.ts';
import { equal } from '../../base/equal.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { oneOf, positiveQuantity, unchanged } from '../validation/fields.ts';
import { dnsSubdomain } from '../validation/names.ts';
import { claimSpecWarnings } from './given-up.ts';
import { accessModeIssues, formatAccessModes, storageClassAnnotation, volumeModes } from './persistentvolume.ts';

export const persistentvolumeclaimDefinition: ResourceDefinition<PersistentVolumeClaim> = defineResource(
  persistentvolumeclaims,
  {
    schema: 'io.k8s.api.core.v1.PersistentVolumeClaim',
    traits: { returnsDeleted: true },
    shortNames: ['pvc'],
    hasStatus: true,
    columns: [
      column('Status', ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating',
      ),
      column('Volume', ({ spec }) => spec.volumeName ?? ''),
      column('Capacity', ({ spec, status }) => (isNamed(spec) ? (status?.capacity?.['storage'] ?? '0') : '')),
      column('Access Modes', ({ spec, status }) => (isNamed(spec) ? formatAccessModes(status?.accessModes) : '')),
      column(
        'StorageClass',
        ({ metadata, spec }) => metadata.annotations?.[storageClassAnnotation] ?? spec.storageClassName ?? '',
      ),
      column('VolumeAttributesClass', ({ spec }) => spec.volumeAttributesClassName ?? '<unset>'),
      column('VolumeMode', ({ spec }) => spec.volumeMode ?? '<unset>', { wide: true }),
    ],
    defaults(claim) {
      if (claim.spec?.volumeMode !== undefined) return claim;
      return { ...claim, spec: { ...claim.spec, volumeMode: 'Filesystem' } };
    },
    defaultStatus: (status: { readonly phase?: string }) =>
      (status.phase ?? '') === '' ? { ...status, phase: 'Pending' } : status,
    prepareForCreate: (claim) => ({ ...sourced(claim, undefined), status: { phase: 'Pending' } }),
    prepareForUpdate: (next, current) => sourced(next, current),
    *warnings({ metadata, spec }) {
      if (metadata.annotations?.[storageClassAnnotation] !== undefined)
        yield `metadata.annotations[${storageClassAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`;
      yield* claimSpecWarnings(spec, 'spec');
    },
    *validate({ spec }, root) {
      yield* claimSpecIssues(spec, root('spec'));
    },
    *validateStatusUpdate({ status }, _, root) {
      yield* statusIssues(status ?? {}, root('status'));
    },
    *validateUpdate(next, current, root) {
      yield* updateIssues(next, current, root('spec'));
    },
  },
);

function isNamed({ volumeName = '' }: PersistentVolumeClaimSpec): boolean {
  return volumeName !== '';
}

/** Also what a StatefulSet's volumeClaimTemplates must meet. */
export function* claimSpecIssues(spec: PersistentVolumeClaimSpec, at: FieldPath): Iterable<Issue> {
  yield* accessModeIssues(spec.accessModes, at('accessModes'));
  yield* validateSelector(spec.selector, at('selector'));
  const storage = spec.resources?.requests?.['storage'];
  const storageAt = at('resources').key('storage');
  if (storage === undefined) yield storageAt.required();
  else yield* positiveQuantity(storage, storageAt);
  if ((spec.storageClassName ?? '') !== '') yield* dnsSubdomain(spec.storageClassName ?? '', at('storageClassName'));
  yield* oneOf(spec.volumeMode, volumeModes, at('volumeMode'));
  for (const field of ['dataSource', 'dataSourceRef'] as const) yield* sourceIssues(spec[field], at(field));
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef !== undefined && !isSameSource(dataSource, dataSourceRef))
    // As upstream, which quotes the path in Go's form of it.
    yield at.invalid(
      {},
      (dataSourceRef.namespace ?? '') === ''
        ? 'must match dataSourceRef'
        : 'may not be specified when dataSourceRef.namespace is specified',
    );
  if ((spec.volumeAttributesClassName ?? '') !== '')
    yield* dnsSubdomain(spec.volumeAttributesClassName ?? '', at('volumeAttributesClassName'));
}

/** Where data comes from is said twice: whoever says it once has said the other. What no claim ever came from counts as unsaid. */
function sourced(next: PersistentVolumeClaim, current: PersistentVolumeClaim | undefined): PersistentVolumeClaim {
  const { dataSource, dataSourceRef, ...rest } = next.spec ?? {};
  if (dataSource === undefined && dataSourceRef === undefined) return next;
  if (dataSource === undefined) {
    if ((dataSourceRef?.namespace ?? '') !== '') return next;
    const { namespace: _none, ...same } = dataSourceRef as TypedObjectReference;
    return { ...next, spec: { ...next.spec, dataSource: same } };
  }
  if (dataSourceRef !== undefined) return next;
  const { dataSource: before, dataSourceRef: beforeRef } = current?.spec ?? {};
  const isNew = before === undefined && beforeRef === undefined;
  if (isNew && !isUsualSource(dataSource)) return { ...next, spec: rest };
  return { ...next, spec: { ...next.spec, dataSourceRef: dataSource } };
}

type Source = Partial<TypedObjectReference>;

function isUsualSource({ apiGroup = '', kind }: Source): boolean {
  return apiGroup === '' ? kind === persistentvolumeclaims.kind : isSnapshot(apiGroup, kind);
}

function isSnapshot(apiGroup: string, kind: string | undefined): boolean {
  return apiGroup === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot';
}

function isSameSource(a: Source, b: Source): boolean {
  return (b.namespace ?? '') === '' && a.apiGroup === b.apiGroup && a.kind === b.kind && a.name === b.name;
}

function* sourceIssues(source: Partial<TypedObjectReference> | undefined, at: FieldPath): Iterable<Issue> {
  if (source === undefined) return;
  const { name = '', kind = '', apiGroup = '' } = source;
  if (name === '') yield at('name').required();
  if (kind === '') yield at('kind').required();
  if (apiGroup !== '') yield* dnsSubdomain(apiGroup, at('apiGroup'));
  else if (kind !== persistentvolumeclaims.kind)
    yield at.invalid(kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
}

/** How far a volume has come on its way to another size. */
const resizeStates: readonly string[] = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

function* statusIssues(
  { capacity, allocatedResources = {}, allocatedResourceStatuses = {} }: PersistentVolumeClaimStatus,
  at: FieldPath,
): Iterable<Issue> {
  yield* grantedIssues(capacity, at('capacity'));
  const states = at('allocatedResourceStatuses');
  for (const [name, state] of Object.entries(allocatedResourceStatuses)) {
    yield* sizedIssues(name, states);
    if (!resizeStates.includes(state)) yield states.notSupported(name, resizeStates);
  }
  const allocated = at('allocatedResources');
  for (const name of Object.keys(allocatedResources)) yield* sizedIssues(name, allocated);
  yield* grantedIssues(allocatedResources, allocated);
}

/** Room, and what a driver counts besides. */
function* sizedIssues(name: string, at: FieldPath): Iterable<Issue> {
  const isOwn = !name.includes('/') || /(?:^|\.)kubernetes\.io\//.test(name);
  const problems = [...qualifiedNameProblems(name)];
  for (const problem of problems) yield at.invalid(name, problem);
  if (problems.length === 0 && isOwn && name !== 'storage') yield at.notSupported(name, ['storage']);
}

function* grantedIssues(amounts: PersistentVolumeClaimStatus['capacity'], at: FieldPath): Iterable<Issue> {
  // Shown as a number, as upstream does.
  for (const [name, amount] of Object.entries(amounts ?? {}))
    if ((parseQuantity(amount) ?? 0n) < 0n)
      yield at.key(name).invalid(wholeValue(amount), 'must be a valid resource quantity');
}

/** A claim may be bound and, once bound, grow; everything else stays as it was asked for. */
function* updateIssues(next: PersistentVolumeClaim, current: PersistentVolumeClaim, at: FieldPath): Iterable<Issue> {
  const bound = current.status?.phase === 'Bound';
  // Also where an earlier version has kept it.
  const was = sourced(current, current).spec;
  if (!equal(fixedPart(next.spec, was, { bound }), fixedPart(was, was, { bound })))
    yield at.forbidden(
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    );
  // As upstream, which names the field without where it is.
  yield* unchanged(next.spec?.volumeMode, current.spec?.volumeMode, root('volumeMode'));
  const [before, after] = [current, next].map((claim) => storageOf(claim.spec));
  if (before === undefined || after === undefined || after >= before) return;
  const granted = parseQuantity(current.status?.capacity?.['storage'] ?? '');
  if (bound && (granted === undefined || after <= granted))
    yield at('resources', 'requests', 'storage').forbidden('field can not be less than status.capacity');
}

function fixedPart(
  spec: PersistentVolumeClaimSpec,
  current: PersistentVolumeClaimSpec,
  { bound }: { readonly bound: boolean },
): unknown {
  const { volumeName, storageClassName, volumeAttributesClassName, resources, ...rest } = spec;
  return {
    ...rest,
    // The volume is filled in at binding, the class when a default one appears.
    ...((current.volumeName ?? '') !== '' && { volumeName }),
    ...(current.storageClassName !== undefined && { storageClassName }),
    ...(!bound && { volumeAttributesClassName }),
    requests: bound ? without(resources?.requests ?? {}, ['storage']) : resources?.requests,
    limits: resources?.limits,
  };
}

function storageOf({ resources }: PersistentVolumeClaimSpec): bigint | undefined {
  return parseQuantity(resources?.requests?.['storage'] ?? '');
}
