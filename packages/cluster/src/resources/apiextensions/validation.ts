import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '../../api/generated/apiextensions-v1.ts';
import { type FieldPath, type Issue, root as nowhere } from '../../api/issue.ts';
import { dnsLabel1035Problems } from '../../api/names.ts';
import { validateStructural } from '../../api/schema/structural.ts';
import { equal } from '../../base/equal.ts';
import { requiredOneOf, unchanged } from '../validation/fields.ts';
import { dnsLabel1035, dnsSubdomain } from '../validation/names.ts';
import { conversionIssues } from './conversion.ts';
import { columnIssues, scaleIssues, selectableFieldIssues } from './version-validation.ts';

const approvalAnnotation = 'api-approved.kubernetes.io';

export function* validateDefinition(definition: CustomResourceDefinition, root: FieldPath): Iterable<Issue> {
  const { metadata, spec } = definition;
  const at = root('spec');
  if (isProtected(spec.group ?? '') && (metadata.annotations?.[approvalAnnotation] ?? '') === '')
    yield root('metadata', 'annotations')
      .key(approvalAnnotation)
      .required(
        `protected groups must have approval annotation "${approvalAnnotation}", see https://github.com/kubernetes/enhancements/pull/1111`,
      );
  yield* groupIssues(spec.group ?? '', at('group'));
  yield* requiredOneOf(spec.scope, ['Cluster', 'Namespaced'], at('scope'));
  yield* versionListIssues(spec, at('versions'));
  yield* nameIssues(spec.names ?? {}, at('names'));
  yield* preservingIssues(spec, at);
  yield* conversionIssues(spec.conversion, at('conversion'));
}

/** Later neither of both may change, which is told of its own. */
export function* validateNewDefinition(definition: CustomResourceDefinition, root: FieldPath): Iterable<Issue> {
  const { metadata, spec } = definition;
  yield* validateStoredVersions(definition, root);
  const wanted = `${spec?.names?.plural ?? ''}.${spec?.group ?? ''}`;
  for (const field of ['generateName', 'name'] as const) {
    const { [field]: name = '' } = metadata;
    if (name !== '' && name !== wanted)
      yield root('metadata', field).invalid(name, 'must be spec.names.plural+"."+spec.group');
  }
}

function isProtected(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some((suffix) => group === suffix || group.endsWith(`.${suffix}`));
}

function* groupIssues(group: string, at: FieldPath): Iterable<Issue> {
  if (group === '') {
    yield at.required();
    return;
  }
  const faults = [...dnsSubdomain(group, at)];
  yield* faults;
  if (faults.length === 0 && !group.includes('.')) yield at.invalid(group, 'should be a domain with at least one dot');
}

function* nameIssues(names: Partial<CustomResourceDefinitionNames>, at: FieldPath): Iterable<Issue> {
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const)
    if ((names[field] ?? '') === '') yield at(field).required();
  yield* nameFormIssues(names, at);
}

/** Of names that there are, also of those that were accepted. */
export function* nameFormIssues(names: Partial<CustomResourceDefinitionNames>, at: FieldPath): Iterable<Issue> {
  for (const field of ['plural', 'singular'] as const) {
    const name = names[field] ?? '';
    if (name !== '') yield* dnsLabel1035(name, at(field));
  }
  for (const field of ['kind', 'listKind'] as const) {
    const name = names[field] ?? '';
    if (name !== '')
      for (const problem of dnsLabel1035Problems(name.toLowerCase()))
        yield at(field).invalid(name, `may have mixed case, but should otherwise match: ${problem}`);
  }
  for (const field of ['shortNames', 'categories'] as const)
    for (const [index, name] of (names[field] ?? []).entries()) yield* dnsLabel1035(name, at(field, index));
  if ((names.kind ?? '') !== '' && names.kind === names.listKind)
    yield at('listKind').invalid(names.listKind, 'kind and listKind may not be the same');
}

function* versionListIssues({ versions = [] }: Partial<CustomResourceDefinitionSpec>, at: FieldPath): Iterable<Issue> {
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) yield at.invalid(names, 'must contain unique version names');
  const stored = versions.filter(({ storage }) => storage).length;
  if (stored !== 1) yield at.invalid(names, 'must have exactly one version marked as storage version');
  for (const [index, version] of versions.entries()) {
    yield* versionIssues(version, at(index));
    if (version.schema?.openAPIV3Schema === undefined) yield at(index, 'schema', 'openAPIV3Schema').required();
  }
  // As upstream, which tells of the first version once more in the form in which it keeps definitions.
  if ((names[0] ?? '') !== '') yield* dnsLabel1035(names[0] ?? '', nowhere('spec', 'version'));
  yield* columnListIssues(versions, at);
  for (const { schema, at: place, versions: these } of schemasOf(versions)) {
    const { additionalProperties, ...root } = schema as JSONSchemaProps;
    if (these.some(({ subresources }) => subresources?.status !== undefined))
      yield* rootIssues(schema as JSONSchemaProps, place);
    if (additionalProperties !== undefined)
      yield place('additionalProperties').forbidden('must not be used at the root');
    yield* validateStructural(root, place);
  }
}

/** Columns that all versions have stand outside of them, as upstream sees it, and are told of there. */
function* columnListIssues(versions: readonly CustomResourceDefinitionVersion[], at: FieldPath): Iterable<Issue> {
  const lists = versions.map(({ additionalPrinterColumns = [] }) => additionalPrinterColumns);
  const isShared = lists.every((list) => equal(list, lists[0]));
  for (const [index, list] of (isShared ? lists.slice(0, 1) : lists).entries()) {
    const place = isShared ? nowhere('spec', 'additionalPrinterColumns') : at(index, 'additionalPrinterColumns');
    for (const [number, column] of list.entries()) yield* columnIssues(column, place(number));
  }
}

/** What a schema may say at its root where the status has a door of its own, in upstream's order and by its names. */
const rootFields =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';
const rootNames: ReadonlySet<string> = new Set([
  ...rootFields.split(' ').map((name) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`),
  ...['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-validations'],
]);
/** They stand before the type. */
const beforeType = ['id', '$schema', '$ref'] as const;

/** The schema of the status is taken out of it, so nothing else may be said of the whole. */
function* rootIssues(schema: JSONSchemaProps, at: FieldPath): Iterable<Issue> {
  const said = (name: string): boolean => isSaid((schema as Readonly<Record<string, unknown>>)[name]);
  const { type = '' } = schema;
  if (type !== '' && type !== 'object' && !beforeType.some(said)) {
    yield at('type').invalid(
      type,
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
    );
    return;
  }
  if (Object.keys(schema).some((name) => !rootNames.has(name) && said(name)))
    yield at.invalid(
      schema,
      `only [${rootFields}] fields are allowed at the root of the schema if the status subresource is enabled`,
    );
}

/** What Go takes for something. */
function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && value !== false;
}

interface PlacedSchema {
  readonly schema: unknown;
  readonly at: FieldPath;
  readonly versions: readonly CustomResourceDefinitionVersion[];
}

/** The schemas of a definition, and where they are told of. */
export function schemasOf(versions: readonly CustomResourceDefinitionVersion[]): readonly PlacedSchema[] {
  const shared = sharedSchema(versions);
  if (shared !== undefined) return [{ schema: shared, at: nowhere('spec', 'validation', 'openAPIV3Schema'), versions }];
  return versions.flatMap((version, index) => {
    const { openAPIV3Schema: schema } = version.schema ?? {};
    const at = nowhere('spec', 'versions', index, 'schema', 'openAPIV3Schema');
    return schema === undefined ? [] : [{ schema, at, versions: [version] }];
  });
}

/** A schema that all versions have stands outside of them, as upstream sees it, and is told of there. */
function sharedSchema([first, ...rest]: readonly CustomResourceDefinitionVersion[]): unknown {
  const schema = first?.schema?.openAPIV3Schema;
  return rest.every((version) => equal(version.schema?.openAPIV3Schema, schema)) ? schema : undefined;
}

function* versionIssues(version: CustomResourceDefinitionVersion, at: FieldPath): Iterable<Issue> {
  yield* dnsLabel1035(version.name ?? '', at('name'));
  if (version.deprecationWarning !== undefined && version.deprecated !== true)
    yield at('deprecationWarning').invalid(version.deprecationWarning, 'can only be set for deprecated versions');
  if (version.subresources?.scale !== undefined)
    yield* scaleIssues(version.subresources.scale, at('subresources', 'scale'));
  yield* selectableFieldIssues(version, at('selectableFields'));
}

function* preservingIssues({ preserveUnknownFields }: CustomResourceDefinitionSpec, at: FieldPath): Iterable<Issue> {
  if (preserveUnknownFields === true)
    yield at('preserveUnknownFields').invalid(
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    );
}

export function* validateDefinitionUpdate(
  next: CustomResourceDefinition,
  current: CustomResourceDefinition,
  root: FieldPath,
): Iterable<Issue> {
  const at = root('spec');
  yield* unchanged(next.spec.group, current.spec.group, at('group'));
  yield* unchanged(next.spec.names.plural, current.spec.names.plural, at('names', 'plural'));
  if (isEstablished(current)) {
    yield* unchanged(next.spec.scope, current.spec.scope, at('scope'));
    yield* unchanged(next.spec.names.kind, current.spec.names.kind, at('names', 'kind'));
  }
  yield* validateStoredVersions(next, root);
}

/** A version that objects are stored in must stay, or they could not be read any more. */
function* validateStoredVersions({ spec, status }: CustomResourceDefinition, root: FieldPath): Iterable<Issue> {
  const at = root('status', 'storedVersions');
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) {
    yield at.invalid(null, 'must have at least one stored version');
    return;
  }
  const versions = spec.versions ?? [];
  const names = new Set(versions.map(({ name }) => name));
  for (const [index, version] of stored.entries())
    if (!names.has(version))
      yield at(index).invalid(
        version,
        `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
      );
  const left = new Set(stored);
  // One that is there twice is found once.
  for (const { name, storage } of versions)
    if (!left.delete(name) && storage) yield at.invalid(stored, `must have the storage version ${name}`);
}

export function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (
    status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True') === true
  );
}
