import type { KubeObject } from '../../api/meta.ts';
import type { ListOptions } from '../../api/operation.ts';
import type { LabelMatcher } from '../../api/selector/selector.ts';
import { parseFieldSelector, parseLabelSelector } from '../../api/selector/text.ts';
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

/** Throws 400 for a selector that cannot be read, or that names a field which cannot be selected. */
export function selectionOf(
  served: Pick<Served, 'definition'>,
  { labelSelector = '', fieldSelector = '' }: ListOptions,
): Selection {
  if (labelSelector === '' && fieldSelector === '') return everything;
  const labels = labelSelector === '' ? undefined : parseLabelSelector(labelSelector);
  const fields = fieldSelector === '' ? [] : fieldConditions(served, fieldSelector);
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

function fieldConditions({ definition }: Pick<Served, 'definition'>, text: string): readonly FieldCondition[] {
  return parseFieldSelector(text).map(({ path, operator, value }) => {
    const field = commonFields[path] ?? definition.selectableFields.find((each) => each.path === path)?.of;
    if (field === undefined || (path === 'metadata.namespace' && !definition.namespaced))
      throw new StatusError(badRequest(`field label not supported: ${path}`));
    return { path, value, wanted: operator === '=', of: field };
  });
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
