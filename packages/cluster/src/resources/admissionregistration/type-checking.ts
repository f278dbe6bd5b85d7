/** What expressions of a ValidatingAdmissionPolicy cannot mean, for the kinds that the policy names: as upstream warns of it in the status. */
import type { ExpressionWarning, ValidatingAdmissionPolicySpec } from '../../api/generated/admissionregistration-v1.ts';
import { apiVersionOf, type GroupVersionKind } from '../../api/gvk.ts';
import { customResourceSchema, schemaOf } from '../../api/schema/node.ts';
import { compile } from '../../cel/compile.ts';
import { declare } from '../../cel/types/declared.ts';
import type { Type } from '../../cel/types/type.ts';
import type { ResourceDefinition } from '../resource.ts';
import { kindsOf } from './named-kinds.ts';
import { type KnownTypes, policyEnvironment } from './policy-expressions.ts';

/** One for each expression that has mistakes; `served` is what the API has. */
export function expressionWarnings(
  spec: ValidatingAdmissionPolicySpec,
  served: readonly ResourceDefinition[],
): readonly ExpressionWarning[] {
  const params = paramsType(spec, served);
  const kinds = kindsOf(spec.matchConstraints?.resourceRules ?? [], served).flatMap((definition) => {
    const object = typeOf(definition);
    return object === undefined ? [] : [{ definition, known: { object, ...(params !== undefined && { params }) } }];
  });
  const environments = kinds.map(({ definition, known }) => ({ definition, ...checking(spec, known) }));
  const check = (fieldRef: string, source: string): readonly ExpressionWarning[] => {
    const warnings = environments.flatMap(({ definition, problemOf }) => {
      const problem = problemOf(source);
      return problem === undefined ? [] : [`${shown(definition)}: ${problem}\n`];
    });
    return warnings.length === 0 ? [] : [{ fieldRef, warning: warnings.join('\n') }];
  };
  return (spec.validations ?? []).flatMap(({ expression, messageExpression = '' }, index) => [
    ...check(`spec.validations[${index}].expression`, expression),
    ...(messageExpression === '' ? [] : check(`spec.validations[${index}].messageExpression`, messageExpression)),
  ]);
}

function checking(
  spec: ValidatingAdmissionPolicySpec,
  known: KnownTypes,
): { problemOf(source: string): string | undefined } {
  const { environment } = policyEnvironment(spec, { known });
  return {
    problemOf(source) {
      const compiled = compile(source, environment);
      return 'problem' in compiled && compiled.isInstantiation !== true ? compiled.problem : undefined;
    },
  };
}

function paramsType(
  { paramKind }: ValidatingAdmissionPolicySpec,
  served: readonly ResourceDefinition[],
): Type | undefined {
  if (paramKind === undefined) return undefined;
  const { apiVersion, kind } = paramKind;
  const definition = served.find((each) => apiVersionOf(each) === apiVersion && each.kind === kind);
  return definition === undefined ? undefined : typeOf(definition);
}

function typeOf({ schema, kind }: ResourceDefinition): Type | undefined {
  const node = typeof schema === 'string' ? schemaOf(schema) : customResourceSchema(schema);
  return declare(node, { isResource: false, name: kind })?.type;
}

function shown({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}
