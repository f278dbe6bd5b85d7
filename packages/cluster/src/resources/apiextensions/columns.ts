import type { CustomResourceColumnDefinition } from '../../api/generated/apiextensions-v1.ts';
import { evaluateJsonPath } from '../../api/jsonpath.ts';
import type { KubeObject } from '../../api/meta.ts';
import { formatExactJson } from '../../base/exact-json.ts';
import { ageColumn, ageOf, nameColumn } from '../columns.ts';
import type { Column } from '../resource.ts';

/** The name, and exactly what the definition asks for: a resource with columns of its own shows an age only by one of them. */
export function customColumns(columns: readonly CustomResourceColumnDefinition[]): readonly Column[] {
  if (columns.length === 0) return [nameColumn(), { ...ageColumn(), type: 'date' }];
  return [nameColumn(), ...columns.map(customColumn)];
}

function customColumn({ name, type, format, priority, description, jsonPath }: CustomResourceColumnDefinition): Column {
  return {
    name,
    type: type as Column['type'],
    ...(format !== undefined && { format }),
    ...(priority !== undefined && { priority }),
    ...(description !== undefined && { description }),
    of: (object: KubeObject, nowMs: number) => cell(evaluateJsonPath(jsonPath, object), { type, nowMs }),
  };
}

interface CellOptions {
  readonly type: string;
  readonly nowMs: number;
}

/** A cell without a value, or with one of another type than the column's, stays empty. */
function cell(values: readonly unknown[], { type, nowMs }: CellOptions): string | number | bigint | boolean {
  const [value] = values;
  if (value === undefined || value === null) return '';
  switch (type) {
    case 'integer':
      return typeof value === 'bigint' ? value : typeof value === 'number' ? Math.trunc(value) : '';
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : '';
    case 'boolean':
      return typeof value === 'boolean' ? value : '';
    case 'date': {
      if (typeof value !== 'string') return '';
      const age = ageOf(value, nowMs);
      return age === '<unknown>' ? '<invalid>' : age;
    }
    default:
      return values.map(textOf).join(' ');
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : formatExactJson(value);
}
