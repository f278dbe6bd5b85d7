import {
  customresourcedefinitions,
  deviceclasses,
  mutatingadmissionpolicies,
  mutatingwebhookconfigurations,
  resourceclaims,
  resourceclaimtemplates,
  validatingadmissionpolicies,
  validatingwebhookconfigurations,
} from '../api/generated/kinds.ts';
import { isSameResource } from '../api/gvk.ts';
import { isObject } from '../api/record.ts';
import { typeChecker } from '../resources/admissionregistration/type-checker.ts';
import { mentionsRules } from '../resources/apiextensions/rules/has-rules.ts';
import { ruleLanguage } from '../resources/apiextensions/rules/language.ts';
import { expressionChecks } from './admission/expression-checks.ts';
import type { IsSound } from './admission/sound-definitions.ts';
import type { LoadExpressions, Writing } from './context/load-expressions.ts';
import { mutating } from './policies/mutators.ts';
import { judging } from './policies/reviewer.ts';
import { matchConditions } from './webhooks/invocation.ts';

export function expressionsLoader(isSound: IsSound): LoadExpressions {
  return ({ definition, crd }, operation) => {
    if (crd !== undefined)
      return !ruleLanguage.isHere && mentionsRules(definition.schema) ? ruleLanguage.load() : undefined;
    if (definition.group === customresourcedefinitions.group && isSameResource(definition, customresourcedefinitions))
      return !ruleLanguage.isHere && bringsRules(operation, isSound) ? ruleLanguage.load() : undefined;
    if (!groupsWithExpressions.has(definition.group) || expressionChecks.isHere) return undefined;
    return withExpressions.some((kind) => isSameResource(definition, kind)) ? expressionChecks.load() : undefined;
  };
}

/** For planes in virtual time: nothing there may take time of its own. */
export async function loadAllExpressions(): Promise<void> {
  await Promise.all([
    ruleLanguage.load(),
    expressionChecks.load(),
    judging.load(),
    mutating.load(),
    matchConditions.load(),
    typeChecker.load(),
  ]);
}

const withExpressions = [
  deviceclasses,
  mutatingadmissionpolicies,
  mutatingwebhookconfigurations,
  resourceclaims,
  resourceclaimtemplates,
  validatingadmissionpolicies,
  validatingwebhookconfigurations,
];
const groupsWithExpressions: ReadonlySet<string> = new Set(withExpressions.map(({ group }) => group));

/** Of a patch that is no apply it cannot be told yet. */
function bringsRules(operation: Writing, isSound: IsSound): boolean {
  const { body } = operation;
  if (operation.verb === 'patch' && operation.patchType !== 'apply') return true;
  return mentionsRules(body) && !(isDefinition(body) && isSound(body));
}

function isDefinition(body: unknown): body is Parameters<IsSound>[0] {
  return (
    isObject(body) && isObject(body['metadata']) && isObject(body['spec']) && Array.isArray(body['spec']['versions'])
  );
}
