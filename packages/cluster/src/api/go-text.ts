import { formatExactJson } from '../base/exact-json.ts';
import { isObject } from './record.ts';

/* JSON that was decoded, as Go prints it: some messages of an API server show values so. */

/** As a text: `map[a:1 b:[x <nil>]]`. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (isObject(value)) return `map[${membersOf(value, ([name, member]) => `${name}:${goText(member)}`).join(' ')}]`;
  return typeof value === 'string' ? value : goNumber(value);
}

/** What Go calls its type. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'bigint' ? 'int64' : 'string';
}

/** As source code: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (isObject(value)) {
    const members = membersOf(value, ([name, member]) => `${JSON.stringify(name)}:${goSyntax(member)}`);
    return `map[string]interface {}{${members.join(', ')}}`;
  }
  return typeof value === 'string' ? JSON.stringify(value) : goNumber(value);
}

function membersOf(value: object, show: (member: readonly [string, unknown]) => string): readonly string[] {
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(show);
}

/** Small fractions get an exponent earlier than in JSON, and it has two digits. */
function goNumber(value: unknown): string {
  const text = formatExactJson(value);
  if (typeof value !== 'number' || Number.isInteger(value)) return text;
  const small = Math.abs(value) < 1e-4 ? value.toExponential() : text;
  return small.replace(/e([+-])(\d)$/, 'e$10$2');
}
