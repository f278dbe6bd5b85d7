/** What one version of a custom resource may ask for beyond its schema: columns, scale, selectable fields. */
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
  JSONSchemaProps,
} from '../../api/generated/apiextensions-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { parseSimplePath } from './simple-path.ts';

const columnTypes: readonly string[] = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats: readonly string[] = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const selectableFieldsMax = 8;

export function* columnIssues(column: Partial<CustomResourceColumnDefinition>, at: FieldPath): Iterable<Issue> {
  const { type = '', format = '' } = column;
  if ((column.name ?? '') === '') yield at('name').required();
  const oneOfTypes = `must be one of ${columnTypes.join(',')}`;
  if (type === '') yield at('type').required(oneOfTypes);
  else if (!columnTypes.includes(type)) yield at('type').invalid(type, oneOfTypes);
  if (format !== '' && !columnFormats.includes(format))
    yield at('format').invalid(format, `must be one of ${columnFormats.join(',')}`);
  const path = column.jsonPath ?? '';
  if (path === '') yield at('JSONPath').required();
  // Whether it can be read is not asked, as upstream: a column that cannot be stays empty.
  else if (!path.startsWith('.')) yield at('JSONPath').invalid(path, 'must be a simple json path starting with .');
}

export function* scaleIssues(scale: CustomResourceSubresourceScale, at: FieldPath): Iterable<Issue> {
  yield* pathIssues(scale.specReplicasPath ?? '', at('specReplicasPath'), {
    under: ['.spec.'],
    words: 'should be a json path under .spec',
  });
  yield* pathIssues(scale.statusReplicasPath ?? '', at('statusReplicasPath'), {
    under: ['.status.'],
    words: 'should be a json path under .status',
  });
  if ((scale.labelSelectorPath ?? '') !== '')
    yield* pathIssues(scale.labelSelectorPath ?? '', at('labelSelectorPath'), {
      under: ['.status.', '.spec.'],
      words: 'should be a json path under either .status or .spec',
    });
}

function* pathIssues(
  path: string,
  at: FieldPath,
  { under, words }: { readonly under: readonly string[]; readonly words: string },
): Iterable<Issue> {
  if (path === '') yield at.required();
  else if (parseSimplePath(path) === undefined)
    yield at.invalid(path, 'should be a simple json path: names separated by dots, without array notation');
  else if (!under.some((prefix) => path.startsWith(prefix))) yield at.invalid(path, words);
}

export function* selectableFieldIssues(
  { selectableFields = [], schema }: CustomResourceDefinitionVersion,
  at: FieldPath,
): Iterable<Issue> {
  if (selectableFields.length === 0) return;
  if (schema?.openAPIV3Schema === undefined) {
    yield at.invalid('', 'may only be set when `version.schema.openAPIV3Schema` is not included');
    return;
  }
  const seen = new Set<string>();
  for (const [index, { jsonPath = '' }] of selectableFields.entries() as Iterable<[number, { jsonPath?: string }]>) {
    const place = at(index, 'jsonPath');
    const steps = parseSimplePath(jsonPath);
    if (jsonPath === '') yield place.required();
    else if (steps === undefined) yield place.invalid(jsonPath, 'is an invalid path: must be a simple json path');
    if (steps === undefined) continue;
    const found = schemaAt(schema.openAPIV3Schema, steps);
    if (found === undefined) {
      yield place.invalid(jsonPath, 'is an invalid path: does not refer to a valid field');
      continue;
    }
    if (steps[0] === 'metadata') yield place.invalid(jsonPath, 'must not point to fields in metadata');
    if (!isScalar(found)) yield place.invalid(jsonPath, notSelectable);
    if (seen.has(jsonPath)) yield place.duplicate(jsonPath);
    seen.add(jsonPath);
  }
  if (seen.size > selectableFieldsMax) yield at.tooMany(seen.size, selectableFieldsMax);
}

const notSelectable =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

function schemaAt(schema: JSONSchemaProps | undefined, steps: readonly string[]): JSONSchemaProps | undefined {
  let found = schema;
  for (const step of steps)
    found = Object.hasOwn(found?.properties ?? {}, step) ? found?.properties?.[step] : undefined;
  return found;
}

function isScalar({ type = '' }: JSONSchemaProps): boolean {
  return ['string', 'boolean', 'integer'].includes(type);
}
