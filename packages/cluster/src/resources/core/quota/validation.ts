import type { ResourceQuotaSpec } from '../../../api/generated/core-v1.ts';
import type { FieldPath, Issue } from '../../../api/issue.ts';
import { parseQuantity } from '../../../api/quantity.ts';
import { resourceAmounts } from '../../validation/fields.ts';
import type { Quantities } from './measures.ts';
import { countedResource, isCounted, isScoped, isStandardName } from './names.ts';
import type { Scope } from './scopes.ts';

const bareScopes: readonly string[] = [
  'BestEffort',
  'NotBestEffort',
  'NotTerminating',
  'Terminating',
  'CrossNamespacePodAffinity',
];
const scopeNames: readonly string[] = [...bareScopes, 'PriorityClass', 'VolumeAttributesClass'];
const opposites: readonly (readonly [string, string])[] = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
const unit = 1_000_000_000n;

/** Limits, and what is used of them, by names that quotas know. */
export function* quotaAmounts(amounts: Quantities | undefined, at: FieldPath): Iterable<Issue> {
  yield* resourceAmounts(amounts, at);
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    if (!name.includes('/') && !isStandardName(name))
      for (const why of [
        'must be a standard resource type or fully qualified',
        'must be a standard resource for quota',
      ])
        yield at.key(name).invalid(name, why);
    if ((isCounted(name) || isForeign(name)) && (parseQuantity(amount) ?? 0n) % unit !== 0n)
      yield at.key(name).invalid(amount, 'must be an integer');
  }
}

/** Whatever is not of Kubernetes is counted in whole ones. */
function isForeign(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/');
}

export function* quotaScopes(
  { hard = {}, scopes = [], scopeSelector }: ResourceQuotaSpec,
  at: FieldPath,
): Iterable<Issue> {
  const fits = (scope: string): boolean =>
    Object.keys(hard).every((name) => !isStandardName(name) || isOf(scope, name));
  const bare = at('scopes');
  for (const scope of scopes) {
    if (!scopeNames.includes(scope)) yield bare.invalid(scopes, 'unsupported scope');
    else if (!fits(scope)) yield bare.invalid(scopes, 'unsupported scope applied to resource');
  }
  yield* conflicts(scopes, bare);
  if (scopeSelector === undefined) return;
  const expressions = scopeSelector.matchExpressions ?? [];
  const selected = at('scopeSelector', 'matchExpressions');
  for (const expression of expressions) {
    const { scopeName } = expression;
    if (!scopeNames.includes(scopeName)) yield selected('scopeName').invalid(scopeName, 'unsupported scope');
    else if (!fits(scopeName)) yield selected.invalid(scopeSelector, 'unsupported scope applied to resource');
    yield* operatorIssues(expression, selected);
  }
  const names = expressions.map(({ scopeName }) => scopeName);
  yield* conflicts(names, selected);
}

/** Scopes of pods limit what pods take, that of claims what claims take. */
function isOf(scope: string, name: string): boolean {
  const counted = countedResource(name);
  if (scope === 'VolumeAttributesClass') return counted === 'persistentvolumeclaims';
  if (counted !== 'pods') return false;
  return name === 'pods' || (scope !== 'BestEffort' && isScoped(name));
}

function* conflicts(scopes: readonly string[], at: FieldPath): Iterable<Issue> {
  for (const pair of opposites)
    if (pair.every((scope) => scopes.includes(scope))) yield at.invalid(scopes, 'conflicting scopes');
}

function* operatorIssues({ scopeName, operator, values = [] }: Scope, at: FieldPath): Iterable<Issue> {
  if (bareScopes.includes(scopeName) && operator !== 'Exists')
    yield at('operator').invalid(
      operator,
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
    );
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      yield at('values').required("must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      yield at('values').invalid(
        values,
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
      );
  } else yield at('operator').invalid(operator, 'not a valid selector operator');
}
