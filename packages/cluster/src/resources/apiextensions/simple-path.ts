/**
 * The plain form of JSONPath that scale and selectable fields use: names only, `.spec.replicas`, `.spec.a\.b`,
 * `.spec['a.b']`.
 */
import { isObject, own, put } from '../../api/record.ts';

/** The names along the path; undefined when it is not of the plain form. */
export function parseSimplePath(path: string): readonly string[] | undefined {
  const step = /\.((?:\\.|[A-Za-z0-9_$-])+)|\[(?:'([^'\\]+)'|"([^"\\]+)")\]/y;
  const names: string[] = [];
  while (step.lastIndex < path.length) {
    const found = step.exec(path);
    if (found === null) return undefined;
    names.push((found[1] ?? found[2] ?? found[3] ?? '').replaceAll(/\\(.)/g, '$1'));
  }
  return path.startsWith('.') && names.length > 0 ? names : undefined;
}

/** The value along the path; undefined when a part of it is missing. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const name of path) value = isObject(value) ? own(value, name) : undefined;
  return value;
}

/** A copy of the object with the value at the path; what is missing on the way is made. */
export function withValueAt<T>(object: T, path: readonly string[], value: unknown): T {
  const [name, ...rest] = path;
  if (name === undefined) return value as T;
  const source = isObject(object) ? object : {};
  const copy: Record<string, unknown> = { ...source };
  put(copy, name, withValueAt(own(source, name), rest, value));
  return copy as T;
}
