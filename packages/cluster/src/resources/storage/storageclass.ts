import type { TopologySelectorTerm } from '../../api/generated/core-v1.ts';
import { storageclasses } from '../../api/generated/kinds.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { equal } from '../../base/equal.ts';
import { ageColumn, column, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { oneOf, unchanged } from '../validation/fields.ts';
import { qualifiedName } from '../validation/names.ts';

const defaultAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

export const storageclassDefinition: ResourceDefinition<StorageClass> = defineResource(storageclasses, {
  schema: 'io.k8s.api.storage.v1.StorageClass',
  traits: { returnsDeleted: true },
  shortNames: ['sc'],
  columns: [
    {
      ...nameColumn<StorageClass>(),
      of: (storageClass) =>
        isDefaultStorageClass(storageClass) ? `${storageClass.metadata.name} (default)` : storageClass.metadata.name,
    },
    column('Provisioner', ({ provisioner }) => provisioner),
    column('ReclaimPolicy', ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete'),
    column('VolumeBindingMode', ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate'),
    // Upstream calls it text.
    { name: 'AllowVolumeExpansion', type: 'string', of: ({ allowVolumeExpansion }) => allowVolumeExpansion === true },
    ageColumn(),
  ],
  columnsComplete: true,
  defaults: (storageClass) => ({
    ...storageClass,
    reclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
    volumeBindingMode: storageClass.volumeBindingMode ?? 'Immediate',
  }),
  *validate({ provisioner, parameters = {}, reclaimPolicy, volumeBindingMode, allowedTopologies = [] }, at) {
    if ((provisioner ?? '') === '') yield at('provisioner').required();
    else yield* qualifiedName(provisioner.toLowerCase(), at('provisioner'));
    if (Object.hasOwn(parameters, '')) yield at('parameters').invalid('', 'field can not be empty.');
    // As upstream, which takes a policy without a word in it.
    if (reclaimPolicy !== '') yield* oneOf(reclaimPolicy, ['Delete', 'Retain'], at('reclaimPolicy'));
    yield* oneOf(volumeBindingMode, ['Immediate', 'WaitForFirstConsumer'], at('volumeBindingMode'));
    yield* topologyIssues(allowedTopologies, at('allowedTopologies'));
  },
  *validateUpdate(next, current, at) {
    if (!equal(next.parameters ?? {}, current.parameters ?? {}))
      yield at('parameters').forbidden('updates to parameters are forbidden.');
    if (next.provisioner !== current.provisioner)
      yield at('provisioner').forbidden('updates to provisioner are forbidden.');
    if (next.reclaimPolicy !== current.reclaimPolicy)
      yield at('reclaimPolicy').forbidden('updates to reclaimPolicy are forbidden.');
    yield* unchanged(next.volumeBindingMode, current.volumeBindingMode, at('volumeBindingMode'));
  },
});

/**
 * Two terms that ask for the same are one too many; within a term, a key is asked for once. A term that asks for nothing is one
 * too many for each that there is, as upstream, which begins with as many of them.
 */
function* topologyIssues(terms: readonly TopologySelectorTerm[], at: FieldPath): Iterable<Issue> {
  const seen = Array.from(terms, () => '');
  for (const [index, { matchLabelExpressions = [] }] of terms.entries()) {
    const place = at(index, 'matchLabelExpressions');
    const keys = new Set<string>();
    const wanted: string[] = [];
    for (const [number, { key = '', values = [] }] of matchLabelExpressions.entries()) {
      if (values.length === 0) yield place(number, 'values').required();
      for (const [which, value] of values.entries())
        if (values.indexOf(value) < which) yield place(number, 'values', which).duplicate(value);
      yield* qualifiedName(key, place(number, 'key'));
      if (keys.has(key)) yield place(number, 'key').duplicate(key);
      keys.add(key);
      wanted.push(`${key}=${[...values].sort().join(',')}`);
    }
    const asked = wanted.sort().join(';');
    for (const other of seen) if (other === asked) yield place.duplicate('');
    seen.push(asked);
  }
}

/** Claims that name no class get this one. */
export function isDefaultStorageClass({ metadata }: StorageClass): boolean {
  return defaultAnnotations.some((annotation) => metadata.annotations?.[annotation] === 'true');
}

/** Of several defaults the newest; of several as new the first by name. */
export function defaultClassOf(classes: Iterable<StorageClass>): StorageClass | undefined {
  let best: StorageClass | undefined;
  for (const each of classes)
    if (isDefaultStorageClass(each) && (best === undefined || rank(each) > rank(best) || isTieWon(each, best)))
      best = each;
  return best;
}

function rank({ metadata }: StorageClass): string {
  return metadata.creationTimestamp;
}

function isTieWon(a: StorageClass, b: StorageClass): boolean {
  return rank(a) === rank(b) && a.metadata.name < b.metadata.name;
}
