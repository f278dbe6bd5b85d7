import type { ValidatingAdmissionPolicySpec } from '../../api/generated/admissionregistration-v1.ts';
import type { MutatingAdmissionPolicySpec } from '../../api/generated/admissionregistration-v1beta1.ts';
import { admission, admissionNamespace } from '../../cel/admission.ts';
import { compile, type Program } from '../../cel/compile.ts';
import { type Environment, extend, type Variable } from '../../cel/environment.ts';
import { withMutations } from '../../cel/mutation.ts';
import { dyn, formatType, type Type } from '../../cel/types/type.ts';

/** One expression of a policy, ready to run, or what is wrong with it: not in what it says, where it `isInternal`. */
export interface Expression {
  readonly source: string;
  readonly program: Program | { readonly problem: string; readonly isInternal?: true };
}

/** What policies of both kinds have. */
export interface Compiled {
  readonly conditions: readonly Expression[];
  readonly variables: ReadonlyMap<string, Expression>;
}

export interface CompiledMutatingPolicy extends Compiled {
  readonly mutations: readonly {
    readonly patchType: 'JSONPatch' | 'ApplyConfiguration';
    readonly expression: Expression;
  }[];
}

export interface CompiledPolicy extends Compiled {
  readonly validations: readonly { readonly expression: Expression; readonly message: Expression | undefined }[];
  readonly annotations: readonly { readonly key: string; readonly value: Expression }[];
}

/** Of a policy that is stored, which is frozen: compiled when it is first asked. */
export const compiledPolicy: typeof compilePolicy = remembered(compilePolicy);
export const compiledMutatingPolicy: typeof compileMutatingPolicy = remembered(compileMutatingPolicy);

function remembered<Spec extends object, T>(compiling: (spec: Spec) => T): (spec: Spec) => T {
  const known = new WeakMap<Spec, T>();
  return (spec) => {
    const compiled = known.get(spec) ?? compiling(spec);
    known.set(spec, compiled);
    return compiled;
  };
}

/** Each expression sees the variables that stand before it. */
export function compilePolicy(spec: ValidatingAdmissionPolicySpec): CompiledPolicy {
  const { environment, plain, variables } = policyEnvironment(spec);
  const of = (source: string, wanted: readonly string[]): Expression => expressionOf(source, { environment, wanted });
  return {
    variables,
    conditions: (spec.matchConditions ?? []).map(({ expression }) =>
      expressionOf(expression, { environment: plain, wanted: ['bool'] }),
    ),
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

const results = { JSONPatch: 'list(JSONPatch)', ApplyConfiguration: 'Object' } as const;

export function compileMutatingPolicy(spec: MutatingAdmissionPolicySpec): CompiledMutatingPolicy {
  const { environment, plain, variables } = policyEnvironment(spec, { hasVariables: true });
  const mutating = withMutations(environment);
  return {
    variables,
    conditions: (spec.matchConditions ?? []).map(({ expression }) =>
      expressionOf(expression, { environment: plain, wanted: ['bool'] }),
    ),
    mutations: (spec.mutations ?? []).flatMap(({ patchType, jsonPatch, applyConfiguration }) => {
      const source = (patchType === 'JSONPatch' ? jsonPatch : applyConfiguration)?.expression;
      if (source === undefined || (patchType !== 'JSONPatch' && patchType !== 'ApplyConfiguration')) return [];
      return [{ patchType, expression: expressionOf(source, { environment: mutating, wanted: [results[patchType]] }) }];
    }),
  };
}

interface Declaring {
  readonly paramKind?: object;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
}

/** What an environment is made for. */
export interface Surroundings {
  readonly known?: KnownTypes;
  /** Whether there is a name for the variables although there is none of them; the default is no, and then it is unknown. */
  readonly hasVariables?: boolean;
}

/** What is known beforehand of the objects that a policy is about. */
export interface KnownTypes {
  /** Of the object as it is to be, and as it was. */
  readonly object: Type;
  /** Absent: nobody knows the kind, so nothing can name it. */
  readonly params?: Type;
}

/**
 * What all expressions of a policy see, and its variables, each of which sees those before it. Without known types objects and
 * parameters may be anything.
 */
export function policyEnvironment(
  { paramKind, variables: given = [] }: Declaring,
  { known, hasVariables = given.length > 0 }: Surroundings = {},
): {
  readonly environment: Environment;
  /** The same without the variables, which conditions do not see. */
  readonly plain: Environment;
  readonly variables: ReadonlyMap<string, Expression>;
} {
  const params = known === undefined ? dyn : known.params;
  const base = extend(admission, {
    variables: new Map<string, Variable>([
      ...(known === undefined
        ? []
        : (['object', 'oldObject'] as const).map((name) => [name, { type: known.object }] as const)),
      ['namespaceObject', { type: admissionNamespace.type }],
      ...(paramKind === undefined || params === undefined ? [] : [['params', { type: params }] as const]),
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
  if (!hasVariables) return { environment: base, plain: base, variables };
  const environment = extend(base, { variables: new Map([['variables', { type }]]) });
  for (const { name, expression } of given) {
    const compiled = expressionOf(expression, { environment, wanted: [] });
    variables.set(name, compiled);
    fields.set(name, 'problem' in compiled.program ? dyn : compiled.program.type);
  }
  return { environment, plain: base, variables };
}

function expressionOf(
  source: string,
  { environment, wanted }: { readonly environment: Environment; readonly wanted: readonly string[] },
): Expression {
  const program = compile(source, environment);
  if ('problem' in program) {
    const { problem, isInstantiation } = program;
    if (isInstantiation === true)
      return { source, program: { problem: `program instantiation failed: ${problem}`, isInternal: true } };
    return { source, program: { problem: `compilation failed: ${problem}` } };
  }
  const { type } = program;
  if (wanted.length === 0 || wanted.includes(type.name) || wanted.includes(formatType(type)))
    return { source, program };
  const words = wanted.length === 1 ? wanted[0] : `one of [${wanted.join(' ')}]`;
  return { source, program: { problem: `must evaluate to ${words} but got ${formatType(type)}` } };
}
