import { formatExactJson } from '../../base/exact-json.ts';
import { isKnownGood } from '../../base/known-good.ts';
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
      if (isObject(value) && isKnownGood(value)) return;
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

/** The first of them: upstream looks no further. */
export function typeProblem(value: unknown, shape: Shape): string | undefined {
  for (const problem of typeProblems(value, shape)) return problem;
  return undefined;
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

function keyProblem(element: unknown, { keys }: ListShape): string | undefined {
  if (keys.length === 0) {
    return element === null ? "associative list without keys has an element that's an explicit null" : undefined;
  }
  if (element === null) return 'associative list with keys may not have a null element';
  // One that lacks its keys is for validation to find.
  return isObject(element) ? undefined : 'associative list with keys may not have non-map elements';
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
        yield `${prefix(at)}expected string, got &value.valueUnstructured{Value:${formatExactJson(value)}}`;
      return;
    case 'boolean':
      if (typeof value !== 'boolean') yield `${prefix(at)}expected boolean, got ${shown(value)}`;
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

/** As Go shows what it has decoded. */
function shown(value: unknown): string {
  return `&{${goValue(value)}}`;
}

function goValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (!isObject(value)) return typeof value === 'string' ? value : formatExactJson(value);
  const members = Object.keys(value).sort();
  return `map[${members.map((name) => `${name}:${goValue(value[name])}`).join(' ')}]`;
}
