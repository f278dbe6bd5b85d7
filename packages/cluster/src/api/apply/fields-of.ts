import type { JsonObject } from '../record.ts';
import { fieldStep } from './element.ts';
import { type FieldSet, noFields, partOf } from './field-set.ts';
import { elementStep } from './list-element.ts';
import { anyShape, type MapShape, type Shape, shapeFor } from './shape.ts';

/** The fields that somebody names who gives this object, and so owns when it is applied. */
export function fieldsOf(value: unknown, shape: Shape): FieldSet {
  return under(value, shape, isOwnedItself) ?? noFields;
}

/** The same, and also lists in which there is nothing: whoever names one owns nothing of it, as upstream, but wants it there. */
export function namesOf(value: unknown, shape: Shape): FieldSet {
  const isNamed: Judge = (inner, place) => (Array.isArray(inner) && inner.length === 0) || isOwnedItself(inner, place);
  return under(value, shape, isNamed) ?? noFields;
}

/** Whether a field of a map is in the set besides what is under it. */
type Judge = (value: unknown, place: { readonly name: string; readonly form: MapShape }) => boolean;

/** Undefined for what is owned as one. */
function under(value: unknown, shape: Shape, judge: Judge): FieldSet | undefined {
  const form = shapeFor(shape, value);
  if (form.is === 'list' && Array.isArray(value)) {
    const found: Record<string, FieldSet> = {};
    for (const element of value) {
      const step = elementStep(form, element);
      found[step] ??= partOf(under(element, form.items, judge), true) ?? noFields;
    }
    return found;
  }
  if (form.is !== 'map' || typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const found: Record<string, FieldSet> = {};
  for (const name of Object.keys(value)) {
    const inner = (value as JsonObject)[name];
    const part = partOf(under(inner, form.at(name) ?? anyShape, judge), judge(inner, { name, form }));
    if (part !== undefined) found[fieldStep(name)] = part;
  }
  return found;
}

/** A named field is only what is in it, unless it is owned as one or there is nothing in it; an entry of a map is always something. */
function isOwnedItself(value: unknown, { name, form }: { readonly name: string; readonly form: MapShape }): boolean {
  if (!form.names(name) || typeof value !== 'object' || value === null) return true;
  const inner = shapeFor(form.at(name) ?? anyShape, value);
  return inner.is === 'leaf' || (!Array.isArray(value) && Object.keys(value).length === 0);
}
