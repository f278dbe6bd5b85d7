/** What selectors of devices (`DeviceClass`, `ResourceClaim`) can say, and how much of it. */
import { compile } from './compile.ts';
import { type Environment, extend, kubernetes, type Sized } from './environment.ts';
import { quantityType } from './library/quantities.ts';
import { formatType, isDyn, mapOf, string, type Type } from './types/type.ts';

const costMax = 1_000_000;

/** An attribute is a text, a number, a boolean or a version. */
const anything: Type = { kind: 'dyn', name: 'google.protobuf.Any', parameters: [] };

const fields: ReadonlyMap<string, Type> = new Map([
  ['driver', string],
  ['attributes', mapOf(string, mapOf(string, anything))],
  ['capacity', mapOf(string, mapOf(string, quantityType))],
]);

const device: Type = {
  kind: 'object',
  name: 'kubernetes.DRADevice',
  parameters: [],
  field: (name) => fields.get(name),
};

const environment: Environment = extend(kubernetes, {
  variables: new Map([['device', { type: device }]]),
  macros: new Set(['cel.bind']),
});

/** By domain, then by name. These are limits of a ResourceSlice. */
const value: Sized = { sizeMax: 64 };
const named: Sized = { sizeMax: 32, key: { sizeMax: 32 }, element: value, field: () => value };
const byDomain: Sized = { sizeMax: 32, key: { sizeMax: 63 }, element: named, field: () => named };
const driver: Sized = { sizeMax: 63 };
const sizes: Sized = { sizeMax: 0, field: (name) => (name === 'driver' ? driver : byDomain) };

export type SelectorProblem = { readonly mistake: string } | { readonly isTooComplex: true };

/** What is wrong with a selector, in upstream's words. */
export function selectorProblem(expression: string): SelectorProblem | undefined {
  const program = compile(expression, environment);
  if ('problem' in program) {
    const how = program.isInstantiation === true ? 'instantiation' : 'compilation';
    return { mistake: `${how} failed: ${program.problem}` };
  }
  const { type } = program;
  if (type.kind !== 'bool' && !isDyn(type))
    return { mistake: `must evaluate to bool or the unknown type, not ${formatType(type)}` };
  return program.costMax(sizes) > costMax ? { isTooComplex: true } : undefined;
}
