/** Turns a CustomResourceDefinition into the definitions of the resources it describes. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '../../api/generated/apiextensions-v1.ts';
import { apiVersionOf, resourceType } from '../../api/gvk.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { qualifiedNameProblems } from '../../api/names.ts';
import { customResourceSchema, type SchemaNode } from '../../api/schema/node.ts';
import { defaultValue } from '../../api/schema/structural.ts';
import { defineResource, type ResourceDefinition, type SelectableField } from '../resource.ts';
import { standardFinalizers } from '../validation/names.ts';
import { customColumns } from './columns.ts';
import { customValidation } from './custom-validation.ts';
import { storageVersionOf } from './customresourcedefinition.ts';
import { scaledIssues, scaleSubresource } from './scale.ts';
import { parseSimplePath, valueAt } from './simple-path.ts';
import { isEstablished } from './validation.ts';

/** One definition per served version; none while the names are not accepted. All versions are one stored object. */
export function definitionsOfCrd(crd: CustomResourceDefinition): readonly ResourceDefinition[] {
  if (!isEstablished(crd)) return [];
  return crd.spec.versions.filter(({ served }) => served).map((version) => definitionOf(crd, version));
}

function definitionOf(
  { spec, status }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): ResourceDefinition {
  const names = status.acceptedNames ?? spec.names;
  const { group } = spec;
  const apiVersion = apiVersionOf({ group, version: version.name });
  const schema = (version.schema?.openAPIV3Schema ?? {}) as Readonly<Record<string, unknown>>;
  let read: SchemaNode | undefined;
  // Most kinds of a start have no object yet.
  const node = (): SchemaNode => (read ??= customResourceSchema(schema));
  const validation = customValidation(schema, node);
  const { scale, status: statusDoor } = version.subresources ?? {};
  const columns = version.additionalPrinterColumns ?? [];
  const storageVersion = storageVersionOf(spec);
  const update = function* (next: KubeObject, current: KubeObject, at: FieldPath): Iterable<Issue> {
    yield* validation.update(next, current, at);
    if (scale !== undefined) yield* scaledIssues(next, scale);
  };
  return defineResource(
    resourceType({
      group,
      version: version.name,
      resource: names.plural,
      kind: names.kind,
      namespaced: spec.scope === 'Namespaced',
    }),
    {
      schema,
      singular: names.singular || names.kind.toLowerCase(),
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      hasStatus: statusDoor !== undefined,
      statusKeeps: 'metadata',
      traits: {
        counted: true,
        updatesUnconditionally: false,
        qualifiesFinalizers: false,
        deprecated: version.deprecated === true,
      },
      subresources: scale === undefined ? [] : [scaleSubresource(scale)],
      columns: customColumns(columns),
      columnsComplete: true,
      ...(storageVersion !== undefined && { storageVersion }),
      selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => selectable(jsonPath)),
      defaults: (object) => defaultValue(object, node()) as KubeObject,
      *validateCreate(object, at) {
        yield* validation.create(object, at);
        if (scale !== undefined) yield* scaledIssues(object, scale);
      },
      validateUpdate: update,
      validateStatusUpdate: update,
      *warnings({ metadata }) {
        if (version.deprecated === true)
          yield version.deprecationWarning ?? `${apiVersion} ${names.kind} is deprecated`;
        for (const finalizer of metadata.finalizers ?? [])
          for (const warning of finalizerWarnings(finalizer))
            yield `metadata.finalizers: ${JSON.stringify(finalizer)}: ${warning}`;
      },
    },
  );
}

function* finalizerWarnings(finalizer: string): Iterable<string> {
  yield* qualifiedNameProblems(finalizer);
  if (finalizer.includes('/') || standardFinalizers.has(finalizer)) return;
  const path = finalizer.includes('.') ? ' including a path (/)' : '';
  yield `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
}

function selectable(jsonPath: string): SelectableField {
  const steps = parseSimplePath(jsonPath) ?? [];
  return {
    path: jsonPath.replace(/^\./, ''),
    of(object) {
      const value = valueAt(object, steps);
      return ['string', 'boolean', 'number', 'bigint'].includes(typeof value) ? String(value) : '';
    },
  };
}
