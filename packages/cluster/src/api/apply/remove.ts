import { isObject, put } from '../record.ts';
import { fieldStep, nameOfStep } from './element.ts';
import { type FieldSet, isEmpty, isIn, noFields, partOf } from './field-set.ts';
import { elementStep } from './list-element.ts';
import { anyShape, type Shape, shapeFor } from './shape.ts';

/** The value without these fields and what is under them. A place that nothing is left in stays, unless it is one of them. */
export function removeFields(value: unknown, fields: FieldSet, shape: Shape): unknown {
  const form = shapeFor(shape, value);
  if (isEmpty(fields)) return value;
  if (form.is === 'list' && Array.isArray(value)) {
    return value.flatMap((element: unknown) => {
      const step = elementStep(form, element);
      if (isIn(fields, [step])) return [];
      const part = fields[step];
      return part === undefined ? [element] : [removeFields(element, part, form.items)];
    });
  }
  if (form.is !== 'map' || !isObject(value)) return value;
  const names = Object.keys(value);
  const left: Record<string, unknown> = {};
  for (const name of names) {
    const part = fields[fieldStep(name)];
    if (part !== undefined && isIn(fields, [fieldStep(name)])) continue;
    put(left, name, part === undefined ? value[name] : removeFields(value[name], part, form.at(name) ?? anyShape));
  }
  return left;
}

/** The set with every named field that something in it is under: who owns part of a struct keeps the struct, who leaves it all leaves it. */
export function withNamedFields(set: FieldSet, shape: Shape): FieldSet {
  const next: Record<string, FieldSet> = {};
  for (const step of Object.keys(set)) {
    const part = set[step] as FieldSet;
    if (step === '.' || isEmpty(part)) next[step] = part;
    else {
      const name = nameOfStep(step);
      const inner = withNamedFields(part, innerShape(shape, name));
      const isNamed = name !== undefined && shape.is === 'map' && shape.names(name);
      const { '.': itself, ...under } = inner;
      next[step] = partOf(under, isNamed || itself !== undefined) ?? noFields;
    }
  }
  return next;
}

function innerShape(shape: Shape, name: string | undefined): Shape {
  if (name === undefined) return shape.is === 'list' ? shape.items : anyShape;
  return shape.is === 'map' ? (shape.at(name) ?? anyShape) : anyShape;
}
