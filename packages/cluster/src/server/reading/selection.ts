import type { KubeObject } from '../../api/meta.ts';
import type { ListOptions } from '../../api/operation.ts';
import type { LabelMatcher } from '../../api/selector/selector.ts';
import { type FieldRequirement, parseFieldSelector, parseLabelSelector } from '../../api/selector/text.ts';
import { badRequest, StatusError } from '../../api/status.ts';
import type { Served } from '../context/registry.ts';

/** What a list or watch asks for, compiled. */
export interface Selection {
  /** Undefined when everything matches. */
  readonly matches: ((object: KubeObject) => boolean) | undefined;
  /** Set when the selection can match at most the objects of this name. */
  readonly name?: string;
  /** Set when a field selector names the namespace. */
  readonly namespace?: string;
}

const everything: Selection = { matches: undefined };

/** Selectors that could be read; whether the fields can be selected is not known yet. */
export interface Selectors {
  readonly labels: LabelMatcher | undefined;
  readonly fields: readonly FieldRequirement[];
}

/** Throws 400 for a selector that cannot be read: before anything else of a request is looked at, as upstream. */
export function parseSelectors({ labelSelector = '', fieldSelector = '' }: ListOptions): Selectors {
  return {
    labels: labelSelector === '' ? undefined : parseLabelSelector(labelSelector),
    fields: fieldSelector === '' ? [] : parseFieldSelector(fieldSelector),
  };
}

/** Throws 400 for a selector that names a field which cannot be selected. */
export function selectionOf(
  served: Pick<Served, 'definition'>,
  { labels, fields: requirements }: Selectors,
): Selection {
  if (labels === undefined && requirements.length === 0) return everything;
  const fields = fieldConditions(served, requirements);
  const exact = (path: string): string | undefined =>
    fields.find((field) => field.path === path && field.wanted)?.value;
  const name = exact('metadata.name');
  const namespace = exact('metadata.namespace');
  return {
    matches: matcher(labels, fields),
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
  };
}

interface FieldCondition {
  readonly path: string;
  readonly value: string;
  /** Whether the field must have the value, or must not. */
  readonly wanted: boolean;
  of(object: KubeObject): string;
}

function fieldConditions(
  { definition }: Pick<Served, 'definition'>,
  requirements: readonly FieldRequirement[],
): readonly FieldCondition[] {
  // Kinds with fields of their own say that there is no namespace where there is none.
  const { namespaced, selectableFields, schema } = definition;
  const isPlaceless = !namespaced && selectableFields.length > 0 && typeof schema === 'string';
  const isHere = (path: string): boolean => path !== 'metadata.namespace' || !isPlaceless;
  return requirements.map(({ path, operator, value }) => {
    const field =
      (isHere(path) ? commonFields[path] : undefined) ??
      definition.selectableFields.find((each) => each.path === path)?.of;
    if (field === undefined) throw new StatusError(badRequest(notSelectable(definition, path)));
    return { path, value, wanted: operator === '=', of: field };
  });
}

/** Kinds that know fields of their own say it in other words than those that know none. */
function notSelectable(definition: Served['definition'], path: string): string {
  const { group, version, kind, schema, selectableFields } = definition;
  if (group === 'batch' && selectableFields.length > 0) return `field label "${path}" not supported for Job`;
  if (group === 'resource.k8s.io' && selectableFields.length > 0)
    return `field label not supported for ${group}/${version}, Kind=${kind}: ${path}`;
  if (selectableFields.length > 0 || typeof schema !== 'string') return `field label not supported: ${path}`;
  return `"${path}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

const commonFields: Readonly<Record<string, (object: KubeObject) => string>> = Object.assign(
  Object.create(null) as Record<string, (object: KubeObject) => string>,
  {
    'metadata.name': ({ metadata }: KubeObject) => metadata.name,
    'metadata.namespace': ({ metadata }: KubeObject) => metadata.namespace ?? '',
  },
);

function matcher(labels: LabelMatcher | undefined, fields: readonly FieldCondition[]): (object: KubeObject) => boolean {
  return (object) => {
    for (const { of, value, wanted } of fields) if ((of(object) === value) !== wanted) return false;
    return labels === undefined || labels(object.metadata.labels);
  };
}
