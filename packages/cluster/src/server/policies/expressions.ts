import type { ValidatingAdmissionPolicySpec } from '../../api/generated/admissionregistration-v1.ts';
import { admission, admissionNamespace } from '../../cel/admission.ts';
import { compile, type Program } from '../../cel/compile.ts';
import { type Environment, extend, type Variable } from '../../cel/environment.ts';
import { dyn, formatType, isDyn, type Type } from '../../cel/types/type.ts';

/** One expression of a policy, ready to run, or what is wrong with it. */
export interface Expression {
  readonly source: string;
  readonly program: Program | { readonly problem: string };
}

export interface CompiledPolicy {
  readonly conditions: readonly Expression[];
  readonly variables: ReadonlyMap<string, Expression>;
  readonly validations: readonly { readonly expression: Expression; readonly message: Expression | undefined }[];
  readonly annotations: readonly { readonly key: string; readonly value: Expression }[];
}

const known = new WeakMap<ValidatingAdmissionPolicySpec, CompiledPolicy>();

/** Of a policy that is stored: compiled when it is first asked. */
export function compiledPolicy(spec: ValidatingAdmissionPolicySpec): CompiledPolicy {
  let compiled = known.get(spec);
  if (compiled === undefined) {
    compiled = compilePolicy(spec);
    known.set(spec, compiled);
  }
  return compiled;
}

/** Each expression sees the variables that stand before it. */
export function compilePolicy(spec: ValidatingAdmissionPolicySpec): CompiledPolicy {
  const base = extend(admission, {
    variables: new Map<string, Variable>([
      ['namespaceObject', { type: admissionNamespace.type }],
      ...(spec.paramKind === undefined ? [] : [['params', { type: dyn }] as const]),
    ]),
  });
  const fields = new Map<string, Type>();
  const variables = new Map<string, Expression>();
  const type: Type = {
    kind: 'object',
    name: 'kubernetes.variables',
    parameters: [],
    field: (name) => fields.get(name),
  };
  const environment = extend(base, { variables: new Map([['variables', { type }]]) });
  for (const { name, expression } of spec.variables ?? []) {
    const compiled = expressionOf(expression, { environment, wanted: [] });
    variables.set(name, compiled);
    fields.set(name, 'problem' in compiled.program ? dyn : compiled.program.type);
  }
  const of = (source: string, wanted: readonly string[]): Expression => expressionOf(source, { environment, wanted });
  return {
    variables,
    conditions: (spec.matchConditions ?? []).map(({ expression }) => of(expression, ['bool'])),
    validations: (spec.validations ?? []).map(({ expression, messageExpression = '' }) => ({
      expression: of(expression, ['bool']),
      message: messageExpression === '' ? undefined : of(messageExpression, ['string']),
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      value: of(valueExpression, ['string', 'null_type']),
    })),
  };
}

function expressionOf(
  source: string,
  { environment, wanted }: { readonly environment: Environment; readonly wanted: readonly string[] },
): Expression {
  const program = compile(source, environment);
  if ('problem' in program) {
    const { problem, isInstantiation } = program;
    return {
      source,
      program: { problem: `${isInstantiation === true ? 'instantiation' : 'compilation'} failed: ${problem}` },
    };
  }
  const { type } = program;
  if (wanted.length === 0 || wanted.includes(type.name) || isDyn(type)) return { source, program };
  const words = wanted.length === 1 ? wanted[0] : `one of [${wanted.join(' ')}]`;
  return { source, program: { problem: `must evaluate to ${words} but got ${formatType(type)}` } };
}
