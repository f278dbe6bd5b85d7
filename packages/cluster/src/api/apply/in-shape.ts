import { type FieldSet, noFields } from './field-set.ts';
import { type Owners, withFields } from './managers.ts';
import type { LeafShape, Shape } from './shape.ts';
import type { Versions } from './versions.ts';

/**
 * Owners as the schema is now: who owned something in a list or map that has become atomic owns all of it. The other way round
 * nothing changes: who owns a list or map as one goes on to. The same array when nothing changes. Pure.
 */
export function ownersInShape(owners: Owners, versions: Versions): Owners {
  return withFields(owners, ({ apiVersion, fieldsV1 }) => {
    const shape = versions.shapeOf(apiVersion);
    return shape === undefined ? fieldsV1 : inShape(fieldsV1, shape);
  });
}

/** Sets that were found to be as the shape has it: most objects are written many times between two changes of a schema. */
const settled = new WeakMap<Shape, WeakSet<FieldSet>>();

function inShape(fields: FieldSet, shape: Shape): FieldSet {
  let known = settled.get(shape);
  if (known?.has(fields) === true) return fields;
  if (known === undefined) {
    known = new WeakSet();
    settled.set(shape, known);
  }
  const next = under(fields, shape);
  known.add(next);
  return next;
}

function under(fields: FieldSet, shape: Shape): FieldSet {
  let next: Record<string, FieldSet> | undefined;
  for (const step in fields) {
    const part = fields[step] as FieldSet;
    const form = step === '.' ? undefined : shapeAt(shape, step);
    if (form === undefined) continue;
    const settledPart = form.is === 'leaf' ? asOne(part, form) : under(part, form);
    if (settledPart === part) continue;
    next ??= { ...fields };
    next[step] = settledPart;
  }
  return next ?? fields;
}

/** Of an atomic map that may hold anything nobody tells how it is owned. */
function asOne(part: FieldSet, { within }: LeafShape): FieldSet {
  if (within === undefined) return part;
  for (const _ in part) return noFields;
  return part;
}

function shapeAt(shape: Shape, step: string): Shape | undefined {
  if (shape.is === 'map') return step.startsWith('f:') ? shape.at(step.slice(2)) : undefined;
  return shape.is === 'list' && !step.startsWith('f:') ? shape.items : undefined;
}
