import { showStep } from '../api/apply/element.ts';
import { pathsOf } from '../api/apply/field-set.ts';
import type { Owner, Owners } from '../api/apply/managers.ts';
import type { KubeObject } from '../api/meta.ts';

/** Who owns what of an object, one line for each owner: `me Apply apps/v1: .spec.replicas`. For tests. */
export function showOwners({ metadata }: KubeObject): readonly string[] {
  return ((metadata.managedFields ?? []) as Owners).map(showOwner);
}

function showOwner({ manager, operation, apiVersion, subresource, fieldsV1 }: Owner): string {
  const fields = [...pathsOf(fieldsV1)].map((steps) => steps.map(showStep).join(''));
  const by = subresource === undefined ? operation : `${operation}/${subresource}`;
  return `${manager} ${by} ${apiVersion}: ${fields.join(' ')}`;
}
