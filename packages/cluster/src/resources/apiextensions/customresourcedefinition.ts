import type { CustomResourceDefinition, CustomResourceDefinitionSpec } from '../../api/generated/apiextensions-v1.ts';
import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import { createdAtColumn, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { withCleanup } from './cleanup.ts';
import { defaultConversion } from './conversion.ts';
import { nameFormIssues, validateDefinition, validateDefinitionUpdate, validateNewDefinition } from './validation.ts';

export const customresourcedefinitionDefinition: ResourceDefinition<CustomResourceDefinition> = defineResource(
  customresourcedefinitions,
  {
    schema: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
    traits: { counted: true, updatesUnconditionally: false, qualifiesFinalizers: false, marksFirst: true },
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    hasStatus: true,
    statusKeeps: 'metadata',
    columns: [nameColumn(), createdAtColumn()],
    columnsComplete: true,
    defaults(definition) {
      const { spec } = definition;
      if (spec?.names?.kind === undefined) return definition;
      const { names } = spec;
      const singular = names.singular || names.kind.toLowerCase();
      const listKind = names.listKind || (names.kind === '' ? '' : `${names.kind}List`);
      const conversion = defaultConversion(spec.conversion);
      return { ...definition, spec: { ...spec, conversion, names: { ...names, singular, listKind } } };
    },
    // Whoever takes its versions away is not heard.
    defaultsByStatus: (definition) =>
      (definition.status?.storedVersions ?? []).length > 0 ? definition : withStoredVersions(definition, []),
    // What a client believes about its names and versions counts for nothing.
    prepareForCreate: (definition) => withStoredVersions(withoutEmptyWebhook({ ...definition, status: {} }), []),
    prepareForUpdate: (next, current) =>
      withStoredVersions(withoutEmptyWebhook(next), current.status?.storedVersions ?? []),
    prepareForDelete: withCleanup,
    validate: validateDefinition,
    validateCreate: validateNewDefinition,
    validateUpdate: validateDefinitionUpdate,
    *validateStatusUpdate(next, _current, at) {
      // Which versions are stored is judged with the next change of the rest, as upstream does.
      yield* nameFormIssues(next.status?.acceptedNames ?? {}, at('status', 'acceptedNames'));
    },
  },
);

/** A webhook that names nothing is none. */
function withoutEmptyWebhook(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { conversion } = definition.spec ?? {};
  const { webhook } = conversion ?? {};
  if (conversion === undefined || webhook === undefined) return definition;
  if (webhook.clientConfig !== undefined || (webhook.conversionReviewVersions ?? []).length > 0) return definition;
  const { webhook: _empty, ...others } = conversion;
  return { ...definition, spec: { ...definition.spec, conversion: others } };
}

/** Remembers every version that objects may have been stored in. */
function withStoredVersions(definition: CustomResourceDefinition, before: readonly string[]): CustomResourceDefinition {
  const current = storageVersionOf(definition.spec);
  const storedVersions = current === undefined || before.includes(current) ? before : [...before, current];
  return { ...definition, status: { ...definition.status, storedVersions } };
}

export function storageVersionOf(spec: CustomResourceDefinitionSpec): string | undefined {
  return spec.versions?.find(({ storage }) => storage)?.name;
}
