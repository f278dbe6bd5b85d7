/** Literals of lists, maps and declared types. */
import type { ListLiteral, MapLiteral, StructLiteral } from '../syntax/tree.ts';
import { Entries, Values } from '../values/collections.ts';
import { describe } from '../values/equality.ts';
import { EvaluationError, Optional, type Value } from '../values/value.ts';
import type { Frame, Run } from './frame.ts';
import { type Planning, plan } from './plan.ts';

/** What is left out when it has no value. */
function optionalElement(value: Value): Value | undefined {
  if (value instanceof Optional) return value.value;
  throw new EvaluationError(`cannot initialize optional list element from non-optional value ${describe(value)}`);
}

export function planList({ elements, optional }: ListLiteral, planning: Planning): Run {
  const runs = elements.map((element) => plan(element, planning));
  return (frame) => {
    const values: Value[] = [];
    for (const [index, run] of runs.entries()) {
      const value = run(frame);
      const kept = optional.has(index) ? optionalElement(value) : value;
      if (kept !== undefined) values.push(kept);
    }
    frame.charge(10);
    return new Values(values);
  };
}

export function planMap({ entries }: MapLiteral, planning: Planning): Run {
  const runs = entries.map(({ key, value, optional }) => ({
    key: plan(key, planning),
    value: plan(value, planning),
    optional,
  }));
  return (frame) => {
    const made = new Entries();
    for (const { key, value, optional } of runs) {
      const name = key(frame);
      const given = value(frame);
      const kept = optional ? optionalElement(given) : given;
      if (kept !== undefined) made.insert(name, kept);
    }
    frame.charge(30);
    return made;
  };
}

export function planStruct({ name, fields }: StructLiteral, planning: Planning): Run {
  const typeName = name.replace(/^\./, '');
  const runs = fields.map((field) => ({ ...field, run: plan(field.value, planning) }));
  return (frame: Frame) => {
    const made = new Entries([], { typeName });
    for (const { name: field, run, optional } of runs) {
      const given = run(frame);
      const kept = optional ? optionalElement(given) : given;
      if (kept !== undefined) made.insert(field, kept);
    }
    frame.charge(40);
    return made;
  };
}
