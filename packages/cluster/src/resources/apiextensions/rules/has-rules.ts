import { isObject } from '../../../api/record.ts';

const known = new WeakMap<object, boolean>();

/** Whether any rule stands in a schema, or in what else holds schemas. Told without the language of rules. */
export function mentionsRules(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  let found = known.get(value);
  if (found === undefined) {
    found = looked(value);
    known.set(value, found);
  }
  return found;
}

function looked(value: object): boolean {
  if (Array.isArray(value)) return value.some(looks);
  if (!isObject(value)) return false;
  const rules = value['x-kubernetes-validations'];
  return (Array.isArray(rules) && rules.length > 0) || Object.values(value).some(looks);
}

function looks(value: unknown): boolean {
  return typeof value === 'object' && value !== null && looked(value);
}
