import { equal } from '../../base/equal.ts';
import { type JsonObject, own } from '../record.ts';
import { fieldStep } from './element.ts';
import { type FieldSet, noFields } from './field-set.ts';
import { elementStep, elementsOf } from './list-element.ts';
import { isOutlineOf, outlineOf } from './outline.ts';
import { type ListShape, type MapShape, type Shape, shapeFor } from './shape.ts';
import type { SharedSets } from './shared-sets.ts';

/** Which fields differ between two objects. */
export interface Comparison {
  /** Added or given another value. */
  readonly touched: FieldSet;
  readonly removed: FieldSet;
}

/** Either may be missing. */
type Found = Partial<Comparison> | undefined;

/** Parts that both objects share are not looked into. */
export function compare(before: unknown, after: unknown, shape: Shape): Comparison {
  const { touched = noFields, removed = noFields } = visit(before, after, shape) ?? {};
  return { touched, removed };
}

const touchedAsOne: Found = { touched: noFields };

function visit(before: unknown, after: unknown, shape: Shape): Found {
  if (before === after) return undefined;
  // Most of what changes.
  if (isScalar(after) && (before === undefined || isScalar(before))) return touchedAsOne;
  if (after === undefined) return { removed: all(before, shape) };
  if (before === undefined) return { touched: all(after, shape) };
  const from = shapeFor(shape, before ?? after);
  const to = shapeFor(shape, after ?? before);
  if (from !== to) return { touched: all(after, shape), ...removedUnder(before, shape) };
  if (to.is === 'map' && isRecordOrNull(before) && isRecordOrNull(after)) return visitMap(before, after, to);
  if (to.is === 'list' && isListOrNull(before) && isListOrNull(after)) return visitList(before, after, to);
  return equal(before, after) ? undefined : touchedAsOne;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Something of one form in the place of something of another. */
function removedUnder(before: unknown, shape: Shape): Found {
  const { '.': _self, ...under } = all(before, shape);
  return { removed: under };
}

function isRecordOrNull(value: unknown): value is JsonObject | null {
  return value === null || (typeof value === 'object' && !Array.isArray(value));
}

function isListOrNull(value: unknown): value is readonly unknown[] | null {
  return value === null || Array.isArray(value);
}

const nothing: JsonObject = Object.freeze({});

function visitMap(before: JsonObject | null, after: JsonObject | null, shape: MapShape): Found {
  const old = before ?? nothing;
  const next = after ?? nothing;
  const { zeros } = shape;
  const found = new Gathering(shape.sets);
  let isSomething = false;
  for (const name in next) {
    isSomething = true;
    const mine = Object.hasOwn(old, name) ? old[name] : zeros.get(name);
    const theirs = next[name];
    if (mine === theirs) continue;
    found.add(fieldStep(name), visit(mine, theirs, shape.at(name) ?? anything));
  }
  for (const name in old) {
    isSomething = true;
    if (Object.hasOwn(next, name)) continue;
    const mine = old[name];
    // What was kept empty is nothing by now.
    if (zeros.get(name) === null && Array.isArray(mine) && mine.length === 0) continue;
    found.add(fieldStep(name), visit(mine, zeros.get(name), shape.at(name) ?? anything));
  }
  // Nothing and nothing at all are told apart.
  if (!isSomething) return before === null || after === null ? touchedAsOne : undefined;
  return found.result();
}

const anything: Shape = { is: 'any' };

function visitList(before: readonly unknown[] | null, after: readonly unknown[] | null, shape: ListShape): Found {
  if ((before ?? []).length === 0 && (after ?? []).length === 0)
    return before === null || after === null ? touchedAsOne : undefined;
  const old = elementsOf(shape, before ?? []);
  const next = elementsOf(shape, after ?? []);
  const found = new Gathering(shape.sets);
  for (const [step, theirs] of next) found.add(step, visitElements(old.get(step), theirs, shape));
  for (const [step, mine] of old) if (!next.has(step)) found.add(step, visitElements(mine, undefined, shape));
  return found.result();
}

function visitElements(
  before: readonly unknown[] | undefined,
  after: readonly unknown[] | undefined,
  { items }: ListShape,
): Found {
  const isSingle = (before?.length ?? 1) === 1 && (after?.length ?? 1) === 1;
  if (isSingle) return visit(before?.[0], after?.[0], items);
  // What comes twice is one thing: nobody can tell which is which.
  if (after === undefined) return { removed: noFields };
  return equal(before, after) ? undefined : touchedAsOne;
}

/** What was found under one place, made only when there is something. */
class Gathering {
  readonly #sets: SharedSets;
  #touched: Gathered | undefined;
  #removed: Gathered | undefined;

  constructor(sets: SharedSets) {
    this.#sets = sets;
  }

  add(step: string, found: Found): void {
    if (found === undefined) return;
    if (found.touched !== undefined) {
      this.#touched ??= { steps: [], parts: [] };
      this.#touched.steps.push(step);
      this.#touched.parts.push(found.touched);
    }
    if (found.removed !== undefined) {
      this.#removed ??= { steps: [], parts: [] };
      this.#removed.steps.push(step);
      this.#removed.parts.push(found.removed);
    }
  }

  result(): Found {
    const touched = this.#touched === undefined ? undefined : this.#sets.of(this.#touched.steps, this.#touched.parts);
    const removed = this.#removed === undefined ? undefined : this.#sets.of(this.#removed.steps, this.#removed.parts);
    if (touched === undefined) return removed === undefined ? undefined : { removed };
    return removed === undefined ? { touched } : { touched, removed };
  }
}

interface Gathered {
  readonly steps: string[];
  readonly parts: FieldSet[];
}

/** A place that comes or goes, with everything under it. */
function all(value: unknown, shape: Shape): FieldSet {
  if (typeof value !== 'object' || value === null) return noFields;
  const form = shapeFor(shape, value);
  if (form.is === 'leaf') return noFields;
  return form.sets.wholeOf(value) ?? form.sets.keepWhole(value, allIn(value, form));
}

function allIn(value: object, form: MapShape | ListShape): FieldSet {
  if (form.is === 'map') return Array.isArray(value) ? noFields : allInMap(value as JsonObject, form);
  return Array.isArray(value) ? allInList(value, form) : noFields;
}

/** Most objects have the fields of one that was seen lately: then only those are looked into that have others under them. */
function allInMap(value: JsonObject, form: MapShape): FieldSet {
  let outline = form.outlines.find((each) => isOutlineOf(each, value));
  if (outline === undefined) {
    outline = outlineOf(value, form, all);
    if (outline === undefined) return allByFields(value, form);
    form.outlines.add(outline);
  }
  const { names, shapes, steps, inner } = outline;
  let parts: FieldSet[] | undefined;
  for (const index of inner) {
    const part = all(value[names[index] as string], shapes[index] as Shape);
    if (part === noFields) continue;
    parts ??= [...outline.parts];
    parts[index] = part;
  }
  return form.sets.of(steps, parts ?? outline.parts);
}

/** Field by field. */
function allByFields(value: JsonObject, { at, zeros, sets }: MapShape): FieldSet {
  const steps: string[] = [];
  const parts: FieldSet[] = [];
  for (const name in value) {
    steps.push(fieldStep(name));
    parts.push(all(value[name], at(name) ?? anything));
  }
  for (const [name, zero] of zeros) {
    if (own(value, name) !== undefined) continue;
    steps.push(fieldStep(name));
    parts.push(all(zero, at(name) ?? anything));
  }
  return withItself(sets, { steps, parts });
}

function allInList(list: readonly unknown[], form: ListShape): FieldSet {
  if (list.length === 0) return noFields;
  // In the order in which they are shown, where there is one: most lists are that short.
  const steps = ['.'];
  const parts = [noFields];
  if (list.length === 1) {
    steps.push(elementStep(form, list[0]));
    parts.push(all(list[0], form.items));
    return form.sets.of(steps, parts);
  }
  for (const [step, elements] of elementsOf(form, list)) {
    steps.push(step);
    parts.push(elements.length === 1 ? all(elements[0], form.items) : noFields);
  }
  return form.sets.of(steps, parts);
}

function withItself(sets: SharedSets, { steps, parts }: Gathered): FieldSet {
  if (steps.length === 0) return noFields;
  steps.push('.');
  parts.push(noFields);
  return sets.of(steps, parts);
}
