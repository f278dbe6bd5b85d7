import { equal } from '../../base/equal.ts';
import { type JsonObject, own } from '../record.ts';
import { fieldStep } from './element.ts';
import { type FieldSet, noFields } from './field-set.ts';
import { elementsOf } from './list-element.ts';
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
    found.add(fieldStep(name), visit(old[name], zeros.get(name), shape.at(name) ?? anything));
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
  const form = shapeFor(shape, value);
  if (form.is === 'leaf' || typeof value !== 'object') return noFields;
  return value === null ? allIn(value, form) : form.sets.wholeOf(value, () => allIn(value, form));
}

function allIn(value: object | null, form: MapShape | ListShape): FieldSet {
  const steps: string[] = [];
  const parts: FieldSet[] = [];
  if (form.is === 'map' && isRecordOrNull(value)) {
    for (const name in value) {
      steps.push(fieldStep(name));
      parts.push(all(value[name], form.at(name) ?? anything));
    }
    if (value !== null) gatherZeros(value, form, { steps, parts });
  } else if (form.is === 'list' && Array.isArray(value)) {
    for (const [step, elements] of elementsOf(form, value)) {
      steps.push(step);
      parts.push(elements.length === 1 ? all(elements[0], form.items) : noFields);
    }
  }
  if (steps.length === 0) return noFields;
  steps.push('.');
  parts.push(noFields);
  return form.sets.of(steps, parts);
}

function gatherZeros(value: JsonObject, { zeros, at }: MapShape, { steps, parts }: Gathered): void {
  for (const [name, zero] of zeros) {
    if (own(value, name) !== undefined) continue;
    steps.push(fieldStep(name));
    parts.push(all(zero, at(name) ?? anything));
  }
}
