/** Values as Go prints them: refusals that clients know name them so. */
import { isObject } from '../../api/record.ts';

/** `int64`, `map[string]interface {}` */
export function goKind(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return isObject(value) ? 'map[string]interface {}' : 'string';
}

/** `map[a:1 b:[c d]]` */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return String(value as string | number | bigint | boolean);
  const fields = Object.keys(value).sort();
  return `map[${fields.map((field) => `${field}:${goText(value[field])}`).join(' ')}]`;
}
