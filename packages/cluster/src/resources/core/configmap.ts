import type { ConfigMap } from '../../api/generated/core-v1.ts';
import { configmaps } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { equal } from '../../base/equal.ts';
import { countColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { dataKey } from '../validation/names.ts';

const bytesMax = 1024 * 1024;

export const configmapDefinition: ResourceDefinition<ConfigMap> = defineResource(configmaps, {
  schema: 'io.k8s.api.core.v1.ConfigMap',
  shortNames: ['cm'],
  columns: [
    countColumn(
      'Data',
      ({ data, binaryData }) => Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
    ),
  ],
  *validate({ data = {}, binaryData = {} }, at) {
    let bytes = 0;
    for (const [key, value] of Object.entries(data)) {
      yield* dataKey(key, at('data').key(key));
      if (Object.hasOwn(binaryData, key))
        yield at('data').key(key).invalid(key, 'duplicate of key present in binaryData');
      bytes += Buffer.byteLength(value);
    }
    for (const [key, value] of Object.entries(binaryData)) {
      yield* dataKey(key, at('binaryData').key(key));
      bytes += Buffer.byteLength(value, 'base64');
    }
    // The whole object is at fault: upstream's path for it prints as empty brackets.
    if (bytes > bytesMax) yield { ...at.tooLong('', bytesMax), field: '[]' };
  },
  *validateUpdate(next, current, at) {
    yield* immutableDataIssues(next, current, { at, fields: ['data', 'binaryData'] });
  },
});

interface Sealable {
  readonly immutable?: boolean;
}

/** Once `immutable` is set, neither it nor the data may change; only deletion helps. */
export function* immutableDataIssues<T extends Sealable>(
  next: T,
  current: T,
  { at, fields }: { readonly at: FieldPath; readonly fields: readonly (keyof T & string)[] },
): Iterable<Issue> {
  if (current.immutable !== true) return;
  const why = 'field is immutable when `immutable` is set';
  if (next.immutable !== true) yield at('immutable').forbidden(why);
  for (const field of fields) if (!equal(next[field] ?? {}, current[field] ?? {})) yield at(field).forbidden(why);
}
