import { createHash } from 'node:crypto';
import { apiVersionOf } from '../../api/gvk.ts';
import type { JsonObject } from '../../api/record.ts';
import { formatExactJson } from '../../base/exact-json.ts';
import type { OtherApi } from '../context/other-apis.ts';

/** The index of OpenAPI documents with those that other servers have. */
export function withOtherDocuments(index: JsonObject, others: readonly OtherApi[]): JsonObject {
  const added = others.flatMap((other) => {
    const document = other.openApi?.();
    if (document === undefined) return [];
    const hash = createHash('sha256').update(formatExactJson(document)).digest('hex').slice(0, 32).toUpperCase();
    return [[pathOf(other), { serverRelativeURL: `/openapi/v3/${pathOf(other)}?hash=${hash}` }] as const];
  });
  if (added.length === 0) return index;
  return { ...index, paths: { ...(index['paths'] as JsonObject), ...Object.fromEntries(added) } };
}

export function otherDocument(others: readonly OtherApi[], path: string): JsonObject | undefined {
  return others.find((other) => pathOf(other) === path)?.openApi?.();
}

function pathOf(other: OtherApi): string {
  return `apis/${apiVersionOf(other)}`;
}
