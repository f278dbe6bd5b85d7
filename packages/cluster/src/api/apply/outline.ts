import type { JsonObject } from '../record.ts';
import { fieldStep } from './element.ts';
import { type FieldSet, noFields } from './field-set.ts';
import { anyShape, type MapShape, type Shape } from './shape.ts';

/** What is the same of all objects at one place that have the same fields in the same order. */
export interface Outline {
  readonly names: readonly string[];
  readonly shapes: readonly Shape[];
  /** Of the fields, of those that are there although nobody gave them, and of the place itself. */
  readonly steps: readonly string[];
  /** Under each step, but for what stands in `inner`. */
  readonly parts: readonly FieldSet[];
  /** The fields under which there may be others. */
  readonly inner: readonly number[];
}

/** Whether an object is of this outline. One with a field that is undefined is of none. */
export function isOutlineOf({ names }: Outline, value: JsonObject): boolean {
  let index = 0;
  for (const name in value) if (names[index++] !== name || value[name] === undefined) return false;
  return index === names.length;
}

/** Undefined where a field is undefined, or where there is none. `zeroPart` says what is under a field that nobody gave. */
export function outlineOf(
  value: JsonObject,
  { zeros, at }: MapShape,
  zeroPart: (zero: unknown, shape: Shape) => FieldSet,
): Outline | undefined {
  const names = Object.keys(value);
  const shapes = names.map((name) => at(name) ?? anyShape);
  const steps = names.map(fieldStep);
  const parts: FieldSet[] = names.map(() => noFields);
  for (const name of names) if (value[name] === undefined) return undefined;
  for (const [name, zero] of zeros) {
    if (Object.hasOwn(value, name)) continue;
    steps.push(fieldStep(name));
    parts.push(zeroPart(zero, at(name) ?? anyShape));
  }
  if (steps.length === 0) return undefined;
  steps.push('.');
  parts.push(noFields);
  const inner = [...names.keys()].filter((index) => shapes[index]?.is !== 'leaf');
  return { names, shapes, steps, parts, inner };
}
