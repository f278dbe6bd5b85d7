import { type JsonObject, own } from '../record.ts';
import { keyStep, valueStep } from './element.ts';
import type { ListShape } from './shape.ts';

/** The step to an element of a list. An element that lacks a key without a default is known by what keys it has. */
export function elementStep(shape: ListShape, element: unknown): string {
  const { keys, keyDefaults } = shape;
  if (keys.length === 0) return valueStep(element);
  const [only] = keys;
  if (keys.length === 1 && only !== undefined) return stepByOnlyKey(shape, only, element);
  const given: (readonly [string, unknown])[] = [];
  for (const key of keys) {
    const value = givenKey(element, key, keyDefaults);
    if (value !== undefined && value !== null) given.push([key, value]);
  }
  return keyStep(given);
}

/** Conditions are of few types, and pods of one template have containers of the same names. */
const rememberedMax = 256;

function stepByOnlyKey({ keyDefaults, steps }: ListShape, key: string, element: unknown): string {
  const value = givenKey(element, key, keyDefaults);
  if (typeof value !== 'string') return keyStep(value === undefined || value === null ? [] : [[key, value]]);
  let step = steps.get(value);
  if (step === undefined) {
    step = keyStep([[key, value]]);
    if (steps.size < rememberedMax) steps.set(value, step);
  }
  return step;
}

function givenKey(element: unknown, key: string, keyDefaults: ListShape['keyDefaults']): unknown {
  const given = typeof element === 'object' && element !== null ? own(element as JsonObject, key) : undefined;
  return given ?? keyDefaults[key];
}

/** The elements of a list by their steps, in the list's order. An element that comes twice is there twice. */
export function elementsOf(shape: ListShape, list: readonly unknown[]): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const element of list) {
    const step = elementStep(shape, element);
    const same = found.get(step);
    if (same === undefined) found.set(step, [element]);
    else same.push(element);
  }
  return found;
}
