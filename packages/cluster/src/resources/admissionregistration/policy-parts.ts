/** What validating and mutating admission policies, and their bindings, have in common. */
import type { MatchResources, ParamKind, ParamRef, Variable } from '../../api/generated/admissionregistration-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { dnsLabel1035Problems } from '../../api/names.ts';
import { validateSelector } from '../../api/selector/selector.ts';
import { oneOf, requiredOneOf } from '../validation/fields.ts';
import { dnsLabel1035, pathSegmentName, pathSegmentProblems } from '../validation/names.ts';
import { defaultRule, ruleIssues } from './rules.ts';

export function defaultMatchResources(resources: MatchResources): MatchResources {
  const { resourceRules, excludeResourceRules } = resources;
  return {
    ...resources,
    matchPolicy: resources.matchPolicy ?? 'Equivalent',
    namespaceSelector: resources.namespaceSelector ?? {},
    objectSelector: resources.objectSelector ?? {},
    ...(resourceRules !== undefined && { resourceRules: resourceRules.map(defaultRule) }),
    ...(excludeResourceRules !== undefined && { excludeResourceRules: excludeResourceRules.map(defaultRule) }),
  };
}

interface PolicySpec {
  readonly failurePolicy?: string;
  readonly matchConstraints?: MatchResources;
}

export function defaultPolicySpec<Spec extends PolicySpec>(spec: Spec): Spec {
  const { matchConstraints, failurePolicy = 'Fail' } = spec;
  return {
    ...spec,
    failurePolicy,
    ...(matchConstraints !== undefined && { matchConstraints: defaultMatchResources(matchConstraints) }),
  };
}

/** `v1/ConfigMap` */
export function shownParamKind(paramKind: ParamKind | undefined): string {
  const { apiVersion, kind } = paramKind ?? {};
  return kind === undefined ? '<unset>' : `${apiVersion}/${kind}`;
}

export function* matchResourcesIssues(resources: MatchResources, at: FieldPath): Iterable<Issue> {
  yield* oneOf(resources.matchPolicy, ['Equivalent', 'Exact'], at('matchPolicy'));
  yield* validateSelector(resources.namespaceSelector, at('namespaceSelector'));
  yield* validateSelector(resources.objectSelector, at('objectSelector'));
  for (const name of ['resourceRules', 'excludeResourceRules'] as const)
    for (const [index, rule] of (resources[name] ?? []).entries()) {
      yield* resourceNameIssues(rule.resourceNames ?? [], at(name, index, 'resourceNames'));
      yield* ruleIssues(rule, at(name, index));
    }
}

function* resourceNameIssues(names: readonly string[], at: FieldPath): Iterable<Issue> {
  for (const [index, name] of names.entries()) {
    yield* pathSegmentName(name, at(index));
    if (names.indexOf(name) < index) yield at(index).duplicate(name);
  }
}

/** Words of the language itself. */
const notNames: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import'],
  ...['let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

export function* variableIssues(variables: readonly Variable[], at: FieldPath): Iterable<Issue> {
  for (const [index, { name = '', expression = '' }] of variables.entries()) {
    if (name === '') yield at(index, 'name').required('name is not specified');
    else if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || notNames.has(name))
      yield at(index, 'name').invalid(name, 'must be a valid CEL identifier');
    if (name !== '' && variables.findIndex((other) => other.name === name) < index)
      yield at(index, 'name').duplicate(name);
    if (expression.trim() === '') yield at(index, 'expression').required('expression is not specified');
  }
}

export function* paramKindIssues({ apiVersion = '', kind = '' }: ParamKind, at: FieldPath): Iterable<Issue> {
  if (apiVersion === '') yield at('apiVersion').required();
  else yield* dnsLabel1035(apiVersion.slice(apiVersion.indexOf('/') + 1), at('apiVersion'));
  if (kind === '') yield at('kind').required();
  for (const problem of kind === '' ? [] : dnsLabel1035Problems(kind.toLowerCase()))
    yield at('kind').invalid(kind, `may have mixed case, but should otherwise match: ${problem}`);
}

export function* paramRefIssues(
  { name = '', selector, parameterNotFoundAction }: ParamRef,
  at: FieldPath,
): Iterable<Issue> {
  for (const problem of pathSegmentProblems(name)) yield at('name').invalid(name, problem);
  if (name !== '' && selector !== undefined) {
    const words = 'name and selector are mutually exclusive';
    yield at('name').forbidden(words);
    yield at('selector').forbidden(words);
  }
  if (name === '' && selector === undefined) yield at.required('one of name or selector must be specified');
  yield* validateSelector(selector, at('selector'));
  yield* requiredOneOf(parameterNotFoundAction, ['Deny', 'Allow'], at('parameterNotFoundAction'));
}

const mutable: readonly string[] = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** Nothing is left to be changed of what is deleted. */
export function* mutableOperations({ resourceRules = [] }: MatchResources, at: FieldPath): Iterable<Issue> {
  for (const { operations = [] } of resourceRules)
    for (const operation of operations) yield* oneOf(operation, mutable, at('resourceRules', 'operations'));
}
