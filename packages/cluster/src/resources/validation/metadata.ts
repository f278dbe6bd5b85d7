/** What must hold of every object's metadata, whatever its kind. */

import { events } from '../../api/generated/kinds.ts';
import { isOfKind, parseApiVersion } from '../../api/gvk.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import type { ObjectMeta, OwnerReference } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import { annotationsIssues, dnsLabel, dnsSubdomain, finalizerIssues, labelIssues, type Rule } from './names.ts';

export interface MetadataRules {
  readonly namespaced: boolean;
  /** How `metadata.name` is checked; a DNS subdomain unless the kind says otherwise. */
  readonly validateName?: Rule | undefined;
  /** False for custom resources, which may use finalizers without a prefix. */
  readonly builtin?: boolean;
}

/** `at` is the path of the metadata itself, e.g. `root('metadata')`. */
export function* validateMetadata(metadata: ObjectMeta, at: FieldPath, rules: MetadataRules): Iterable<Issue> {
  yield* nameIssues(metadata, at, rules.validateName ?? dnsSubdomain);
  yield* namespaceIssues(metadata, at, rules);
  if (metadata.generation !== undefined && metadata.generation < 0)
    yield at('generation').invalid(metadata.generation, 'must be greater than or equal to 0');
  yield* sharedIssues(metadata, at, rules);
}

/**
 * What an update may not do to the metadata. Run {@link carryMetadata} first: fields that a client leaves out mean "as it
 * was", fields that it sends differently are refused.
 */
export function* validateMetadataUpdate(
  next: ObjectMeta,
  current: ObjectMeta,
  at: FieldPath,
  rules: Partial<MetadataRules> = {},
): Iterable<Issue> {
  if (current.deletionTimestamp !== undefined) yield* newFinalizerIssues(next, current, at('finalizers'));
  if ((next.generation ?? 0) < (current.generation ?? 0))
    yield at('generation').invalid(next.generation ?? 0, 'must not be decremented');
  for (const field of immutableFields)
    if (!equal(next[field], current[field])) yield at(field).invalid(next[field], 'field is immutable');
  // It names nothing any more, and has to be good all the same.
  if (rules.builtin === true && next.generateName !== current.generateName)
    yield* generatedNameIssues(next, at, rules.validateName ?? dnsSubdomain);
  yield* sharedIssues(next, at, { namespaced: true, ...rules });
}

const immutableFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

const carriedFields = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** Completes an update's metadata with what the server keeps and a client may leave out. */
export function carryMetadata(next: ObjectMeta, current: ObjectMeta): ObjectMeta {
  const { selfLink: _ignored, ...kept } = next;
  const carried: Partial<Record<(typeof carriedFields)[number], unknown>> = {};
  for (const field of carriedFields) {
    const given = next[field];
    // That it is deleted, and when it will be gone, is not for a client to say.
    const missing = given === undefined || given === null || given === '' || field === 'deletionTimestamp';
    if (missing && current[field] !== undefined) carried[field] = current[field];
  }
  const generation = current.generation === undefined ? {} : { generation: current.generation };
  return { ...kept, ...(carried as Partial<ObjectMeta>), ...generation };
}

function* generatedNameIssues({ generateName = '' }: ObjectMeta, at: FieldPath, rule: Rule): Iterable<Issue> {
  if (generateName !== '')
    // What is generated ends in letters and digits, so a prefix may end in what no whole name may end in.
    for (const issue of rule(maskTrailingDash(generateName), at('generateName')))
      yield { ...issue, message: issue.message.replace(maskTrailingDash(generateName), generateName) };
}

function* nameIssues(metadata: ObjectMeta, at: FieldPath, rule: Rule): Iterable<Issue> {
  const { name = '' } = metadata;
  yield* generatedNameIssues(metadata, at, rule);
  if (name === '') yield at('name').required('name or generateName is required');
  else yield* rule(name, at('name'));
}

function maskTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
}

function* namespaceIssues({ namespace = '' }: ObjectMeta, at: FieldPath, rules: MetadataRules): Iterable<Issue> {
  if (!rules.namespaced) {
    if (namespace !== '') yield at('namespace').forbidden('not allowed on this type');
    return;
  }
  if (namespace === '') yield at('namespace').required();
  else yield* dnsLabel(namespace, at('namespace'));
}

function* sharedIssues(metadata: ObjectMeta, at: FieldPath, rules: MetadataRules): Iterable<Issue> {
  // Every write comes through here, and most objects lack most of these.
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  if (labels) yield* labelIssues(labels, at('labels'));
  if (annotations) yield* annotationsIssues(annotations, at('annotations'));
  if (ownerReferences) yield* ownerIssues(ownerReferences, at('ownerReferences'));
  if (finalizers) yield* finalizerIssues(finalizers, at('finalizers'), { prefixRequired: rules.builtin ?? true });
}

function* ownerIssues(owners: readonly OwnerReference[], at: FieldPath): Iterable<Issue> {
  let controller: string | undefined;
  for (const owner of owners) {
    yield* ownerReferenceIssues(owner, at);
    if (owner.controller !== true) continue;
    const name = `${owner.kind}/${owner.name}`;
    if (controller !== undefined)
      yield at.invalid(
        owners,
        `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
      );
    else controller = name;
  }
}

// The paths carry no index, as upstream's do not.
function* ownerReferenceIssues(owner: OwnerReference, at: FieldPath): Iterable<Issue> {
  const { version } = parseApiVersion(owner.apiVersion ?? '');
  if (version === '') yield at('apiVersion').invalid(owner.apiVersion ?? '', 'version must not be empty');
  for (const field of ['kind', 'name', 'uid'] as const)
    if ((owner[field] ?? '') === '') yield at(field).invalid('', 'must not be empty');
  if (isOfKind(owner, events)) yield at.invalid(owner, '/v1, Kind=Event is disallowed from being an owner');
}

function* newFinalizerIssues(next: ObjectMeta, current: ObjectMeta, at: FieldPath): Iterable<Issue> {
  const known = new Set(current.finalizers);
  const added = [...new Set(next.finalizers)].filter((finalizer) => !known.has(finalizer)).sort();
  if (added.length > 0)
    yield at.forbidden(
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(', ')}}`,
    );
}
