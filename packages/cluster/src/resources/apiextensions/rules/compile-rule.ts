import type { CelRule, SchemaNode } from '../../../api/schema/node.ts';
import { rulePath } from '../../../api/schema/rule-path.ts';
import { compile, type Program } from '../../../cel/compile.ts';
import { type Environment, extend } from '../../../cel/environment.ts';
import type { Declared } from '../../../cel/types/declared.ts';
import { optionalOf, type Type } from '../../../cel/types/type.ts';

export interface CompiledRule {
  readonly rule: CelRule;
  /** Or what is wrong with it. */
  readonly program: Program | { readonly problem: string };
  /** It is about a change, so it needs an object from before. */
  readonly usesOldSelf: boolean;
  readonly message?: Program | { readonly problem: string };
  /** Where a failure is told instead of at the value itself. */
  readonly place?: ReturnType<typeof rulePath>;
}

/** Of a schema and what it declares, in an environment without variables. Rules without a text are passed over. */
export function compileRules(
  schema: SchemaNode,
  { declared, base }: { readonly declared: Declared; readonly base: Environment },
): readonly CompiledRule[] {
  const environments = new Map<boolean, Environment>();
  const environmentOf = (optionalOldSelf: boolean): Environment => {
    const known = environments.get(optionalOldSelf) ?? extended(base, { declared, optionalOldSelf });
    environments.set(optionalOldSelf, known);
    return known;
  };
  return (schema.validations ?? []).flatMap((rule) =>
    rule.rule.trim() === ''
      ? []
      : [compileRule(rule, { schema, environment: environmentOf(rule.optionalOldSelf === true) })],
  );
}

function extended(
  base: Environment,
  { declared, optionalOldSelf }: { readonly declared: Declared; readonly optionalOldSelf: boolean },
): Environment {
  const { type } = declared;
  const variable = (of: Type): { type: Type; declared: Declared } => ({ type: of, declared });
  return extend(base, {
    variables: new Map([
      ['self', variable(type)],
      ['oldSelf', variable(optionalOldSelf ? optionalOf(type) : type)],
    ]),
  });
}

function compileRule(
  rule: CelRule,
  { schema, environment }: { readonly schema: SchemaNode; readonly environment: Environment },
): CompiledRule {
  const program = compiled(rule.rule, { environment, kind: 'bool' });
  const { messageExpression = '', fieldPath = '' } = rule;
  const isSound = !('problem' in program);
  const place = fieldPath === '' ? undefined : rulePath(fieldPath, schema);
  return {
    rule,
    program,
    usesOldSelf: isSound && program.uses.has('oldSelf'),
    ...(isSound &&
      messageExpression !== '' && { message: compiled(messageExpression, { environment, kind: 'string' }) }),
    ...(place !== undefined && { place }),
  };
}

const words = {
  bool: { prefix: '', wrongType: 'cel expression must evaluate to a bool', failed: 'program instantiation failed' },
  string: {
    prefix: 'messageExpression ',
    wrongType: 'messageExpression must evaluate to a string',
    failed: 'messageExpression instantiation failed',
  },
} as const;

function compiled(
  source: string,
  { environment, kind }: { readonly environment: Environment; readonly kind: 'bool' | 'string' },
): Program | { readonly problem: string } {
  const { prefix, wrongType, failed } = words[kind];
  const program = compile(source, environment);
  if ('problem' in program) {
    const { problem, isInstantiation } = program;
    return { problem: isInstantiation === true ? `${failed}: ${problem}` : `${prefix}compilation failed: ${problem}` };
  }
  return program.type.kind === kind ? program : { problem: wrongType };
}
