import { type Shape, shapeFor } from '../../api/apply/shape.ts';
import { isObject } from '../../api/record.ts';

/**
 * Lists and maps within a value that are kept as one: whoever sets a part of such would take away the rest unknowingly. `.spec.args`,
 * `.spec.containers[0].command`.
 */
export function* atomicPlaces(value: unknown, shape: Shape, at = ''): Iterable<string> {
  if (shape.is === 'any') {
    if (isObject(value))
      for (const [name, inner] of Object.entries(value)) yield* atomicPlaces(inner, shape, `${at}.${name}`);
    else if (Array.isArray(value)) yield at;
    return;
  }
  const form = shapeFor(shape, value);
  if (form.is === 'leaf') {
    if (typeof value !== 'object' || value === null) return;
    yield at;
    if (form.within !== undefined) yield* within(value, form.within, at);
    return;
  }
  if (typeof value === 'object' && value !== null) yield* within(value, form, at);
}

function* within(
  value: object,
  form: Exclude<ReturnType<typeof shapeFor>, { is: 'leaf' }>,
  at: string,
): Iterable<string> {
  if (form.is === 'list') {
    if (Array.isArray(value))
      for (const [index, element] of (value as readonly unknown[]).entries())
        yield* atomicPlaces(element, form.items, `${at}[${index}]`);
  } else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) {
      const part = form.at(name);
      if (part !== undefined) yield* atomicPlaces(inner, part, `${at}.${name}`);
    }
}
