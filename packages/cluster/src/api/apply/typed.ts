import { formatExactJson } from '../../base/exact-json.ts';
import { isObject, type JsonObject } from '../record.ts';
import { showStep } from './element.ts';
import { elementStep } from './list-element.ts';
import { type LeafShape, type ListShape, type MapShape, type Shape, shapeFor } from './shape.ts';

/**
 * Why an object cannot be applied: fields that its schema does not know, values of the wrong type, elements of a list that
 * cannot be told apart. In upstream's words, `.spec.x: field not declared in schema`.
 */
export function* typeProblems(value: unknown, shape: Shape, at = ''): Iterable<string> {
  const form = shapeFor(shape, value);
  switch (form.is) {
    case 'leaf':
      return yield* leafProblems(value, form, at);
    case 'map':
      if (value === null) return;
      if (isObject(value)) yield* mapProblems(value, form, at);
      else yield `${prefix(at)}expected map, got ${shown(value)}`;
      return;
    case 'list':
      if (value === null) return;
      if (Array.isArray(value)) yield* listProblems(value, form, at);
      else yield `${prefix(at)}expected list, got ${shown(value)}`;
      return;
    default:
      form satisfies never;
  }
}

/** All of them as one message, as upstream puts them together. */
export function typeProblemText(value: unknown, shape: Shape): string | undefined {
  const problems = [...typeProblems(value, shape)];
  return problems.length > 1 ? `errors:\n${problems.map((each) => `  ${each}`).join('\n')}` : problems[0];
}

function* mapProblems(map: JsonObject, shape: MapShape, at: string): Iterable<string> {
  for (const name of Object.keys(map)) {
    const inner = shape.at(name);
    if (inner === undefined) yield `${at}.${name}: field not declared in schema`;
    else yield* typeProblems(map[name], inner, `${at}.${name}`);
  }
}

function* listProblems(list: readonly unknown[], shape: ListShape, at: string): Iterable<string> {
  const seen = new Set<string>();
  for (const [index, element] of list.entries()) {
    const problem = keyProblem(element, shape);
    if (problem !== undefined) {
      yield `${prefix(at)}element ${index}: ${problem}`;
      continue;
    }
    const step = elementStep(shape, element);
    if (seen.has(step)) yield `${prefix(at)}duplicate entries for key ${showStep(step)}`;
    seen.add(step);
    yield* typeProblems(element, shape.items, `${at}${showStep(step)}`);
  }
}

function keyProblem(element: unknown, { keys, keyDefaults }: ListShape): string | undefined {
  if (keys.length === 0) {
    return element === null ? "associative list without keys has an element that's an explicit null" : undefined;
  }
  if (element === null) return 'associative list with keys may not have a null element';
  if (!isObject(element)) return 'associative list with keys may not have non-map elements';
  const missing = keys.filter((key) => (element[key] ?? keyDefaults[key]) === undefined);
  // Some keys of several may be absent: the element is then known by the others.
  if (missing.length < keys.length) return undefined;
  const [key = ''] = missing;
  return `associative list with keys has an element that omits key field ${JSON.stringify(key)} (and doesn't have default value)`;
}

function* leafProblems(value: unknown, { wants, within }: LeafShape, at: string): Iterable<string> {
  if (value === null || wants === 'anything') return;
  switch (wants) {
    case 'list':
    case 'map':
      yield* atomicProblems(value, { wants, ...(within !== undefined && { within }) }, at);
      return;
    case 'number':
      if (typeof value !== 'number' && typeof value !== 'bigint')
        yield `${prefix(at)}expected numeric (int or float), got ${goType(value)}`;
      return;
    case 'string':
      if (typeof value !== 'string')
        yield `${prefix(at)}expected string, got &value.valueUnstructured{Value:${shown(value)}}`;
      return;
    case 'boolean':
      if (typeof value !== 'boolean')
        yield `${prefix(at)}expected boolean, got &value.valueUnstructured{Value:${shown(value)}}`;
      return;
    case 'scalar':
      if (typeof value === 'object') yield `${prefix(at)}expected any scalar, got ${shown(value)}`;
      return;
    default:
      wants satisfies never;
  }
}

/** The elements of an atomic list need not be told apart. */
function* atomicProblems(value: unknown, { wants, within }: Omit<LeafShape, 'is'>, at: string): Iterable<string> {
  if (wants === 'list' ? !Array.isArray(value) : !isObject(value))
    yield `${prefix(at)}expected ${wants}, got ${shown(value)}`;
  else if (within?.is === 'map') yield* mapProblems(value as JsonObject, within, at);
  else if (within?.is === 'list')
    for (const [index, element] of (value as readonly unknown[]).entries())
      yield* typeProblems(element, within.items, `${at}[${index}]`);
}

function prefix(at: string): string {
  return at === '' ? '' : `${at}: `;
}

function goType(value: unknown): string {
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return '[]interface {}';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}

function shown(value: unknown): string {
  return formatExactJson(value);
}
