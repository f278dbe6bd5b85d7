import { isKnownGood } from '../../base/known-good.ts';
import { goSyntax, goText } from '../go-text.ts';
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

const toldMax = 100;

export interface TypeProblemOptions {
  /** False of what holds secrets: then it is told where something is wrong and what was expected. */
  readonly quotes?: boolean;
}

/** All of them as one text; undefined where there is none. */
export function typeProblem(
  value: unknown,
  shape: Shape,
  { quotes = true }: TypeProblemOptions = {},
): string | undefined {
  const told: string[] = [];
  for (const problem of typeProblems(value, shape)) {
    const words = quotes ? problem : problem.replace(/, got .*/s, ', got something else');
    if (told.push(words) === toldMax) break;
  }
  return told.length > 1 ? ['errors:', ...told.map((problem) => `  ${problem}`)].join('\n') : told[0];
}

function* mapProblems(map: JsonObject, shape: MapShape, at: string): Generator<string, void> {
  for (const name of Object.keys(map)) {
    const inner = shape.at(name);
    // Whoever does not know the form of an object is told so once.
    if (inner === undefined) return yield `${at}.${name}: field not declared in schema`;
    yield* typeProblems(map[name], inner, `${at}.${name}`);
  }
}

function* listProblems(list: readonly unknown[], shape: ListShape, at: string): Generator<string, void> {
  const seen = new Set<string>();
  for (const [index, element] of list.entries()) {
    const problem = keyProblem(element, shape);
    if (problem !== undefined) return yield `${prefix(at)}element ${index}: ${problem}`;
    const step = elementStep(shape, element);
    const shownStep = showElement(step, shape);
    if (seen.has(step)) yield `${prefix(at)}duplicate entries for key ${shownStep}`;
    seen.add(step);
    yield* typeProblems(element, shape.items, `${at}${shownStep}`);
  }
}

/** One without any key has keys that say nothing. */
function showElement(step: string, { keys }: ListShape): string {
  const shownStep = showStep(step);
  return shownStep === '[]' ? `[${keys.map((key) => `${key}=""`).join(',')}]` : shownStep;
}

function keyProblem(element: unknown, { keys, keyDefaults, mayLackKeys }: ListShape): string | undefined {
  if (keys.length === 0) {
    if (element === null) return "associative list without keys has an element that's an explicit null";
    if (Array.isArray(element)) return 'not supported: associative list with lists as elements';
    return isObject(element) ? "associative list without keys has an element that's a map type" : undefined;
  }
  if (element === null) return 'associative list with keys may not have a null element';
  if (!isObject(element)) return 'associative list with keys may not have non-map elements';
  if (mayLackKeys || keys.some((key) => Object.hasOwn(element, key) || Object.hasOwn(keyDefaults, key)))
    return undefined;
  const names = keys.map((key) => JSON.stringify(key)).join(' ');
  return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`;
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
        yield `${prefix(at)}expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
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
  return `&{${goText(value)}}`;
}
