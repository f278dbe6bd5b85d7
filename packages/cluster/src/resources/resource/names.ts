/** Names of what devices are made of, and what is said of them in the same words everywhere. */
import type { NodeSelector } from '../../api/generated/core-v1.ts';
import type { DeviceSelector, DeviceToleration, OpaqueDeviceConfiguration } from '../../api/generated/resource-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { dnsSubdomainProblems, qualifiedNameProblems } from '../../api/names.ts';
import { isObject } from '../../api/record.ts';
import { validateNodeSelector } from '../core/pod/validation/scheduling.ts';
import { dnsSubdomain, labelValue } from '../validation/names.ts';

export const taintEffects: readonly string[] = ['NoExecute', 'NoSchedule'];
const tolerationOperators = ['Equal', 'Exists'];
export const expressionBytesMax: number = 10 * 1024;
const selectorsMax = 32;
const parametersBytesMax = 10 * 1024;
const idLengthMax = 32;
const conditionsMax = 4;

/** As the name of a CSI driver: 63 bytes, and any case in the end. */
export function* driverName(name: string | undefined, at: FieldPath): Iterable<Issue> {
  if (name === undefined || name === '') yield at.required();
  if ((name ?? '').length > 63) yield at.tooLong(name, 63);
  for (const problem of dnsSubdomainProblems((name ?? '').toLowerCase())) yield at.invalid(name ?? '', problem);
}

export function* poolName(name: string | undefined, at: FieldPath): Iterable<Issue> {
  if (name === undefined || name === '') {
    yield at.required();
    return;
  }
  if (name.length > 253) yield at.tooLong(name, 253);
  for (const part of name.split('/')) yield* dnsSubdomain(part, at);
}

/** `memory` or `driver.example.com/memory`: names of attributes and capacities. */
export function* featureName(name: string, at: FieldPath): Iterable<Issue> {
  const parts = name.split('/');
  const [first = '', second] = parts;
  if (name === '') yield at.required('name required');
  else if (parts.length === 1) yield* identifier(first, at);
  else if (parts.length === 2) {
    if (first === '') yield at.required('the domain must not be empty');
    else yield* driverName(first, at);
    if (second === undefined || second === '') yield at.required('the name must not be empty');
    else yield* identifier(second, at);
  }
}

export function* qualifiedFeatureName(name: string, at: FieldPath): Iterable<Issue> {
  yield* featureName(name, at);
  if (name !== '' && !name.includes('/')) yield at.invalid(name, 'must include a domain');
}

function* identifier(id: string, at: FieldPath): Iterable<Issue> {
  if (id.length > idLengthMax) yield at.tooLong(id, idLengthMax);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(id))
    yield at.invalid(
      id,
      "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
    );
}

/** What the expressions say is looked at by who has their language. */
export function* selectorIssues(selectors: readonly DeviceSelector[] | undefined, at: FieldPath): Iterable<Issue> {
  for (const [index, { cel }] of (selectors ?? []).entries()) {
    const place = at(index, 'cel');
    if (cel === undefined) yield place.required();
    else if (cel.expression.length > expressionBytesMax)
      yield place('expression').tooLong(cel.expression, expressionBytesMax);
  }
  yield* atMost(selectors, selectorsMax, at);
}

export function* atMost(list: readonly unknown[] | undefined, max: number, at: FieldPath): Iterable<Issue> {
  if ((list?.length ?? 0) > max) yield at.tooMany(list?.length ?? 0, max);
}

/** Items that are told apart by a name, each once. */
export function* once(list: readonly string[], placeOf: (index: number) => FieldPath): Iterable<Issue> {
  const seen = new Set<string>();
  for (const [index, key] of list.entries()) {
    if (seen.has(key)) yield placeOf(index).duplicate(key);
    seen.add(key);
  }
}

export function* opaqueIssues(opaque: OpaqueDeviceConfiguration | undefined, at: FieldPath): Iterable<Issue> {
  if (opaque === undefined) {
    yield at.required();
    return;
  }
  yield* driverName(opaque.driver, at('driver'));
  yield* rawObject(opaque.parameters, at('parameters'));
}

export function* rawObject(value: unknown, at: FieldPath): Iterable<Issue> {
  if (value === undefined || value === null) yield at.required();
  else if (JSON.stringify(value).length > parametersBytesMax) yield at.tooLong('', parametersBytesMax);
  else if (!isObject(value)) yield at.invalid('<value omitted>', 'must be a valid JSON object');
}

export function* tolerationIssues(
  tolerations: readonly DeviceToleration[] | undefined,
  at: FieldPath,
): Iterable<Issue> {
  for (const [index, { key = '', operator = '', value = '', effect = '' }] of (tolerations ?? []).entries()) {
    const place = at(index);
    if (key !== '') yield* labelName(key, place('key'));
    if (operator === 'Exists') {
      if (value !== '') yield place('value').invalid(value, 'must be empty for operator `Exists`');
    } else if (operator === 'Equal') yield* labelValue(value, place('value'));
    else if (operator === '') yield place('operator').required();
    else yield place('operator').notSupported(operator, tolerationOperators);
    if (effect !== '' && !taintEffects.includes(effect)) yield place('effect').notSupported(effect, taintEffects);
  }
}

export function* labelName(name: string, at: FieldPath): Iterable<Issue> {
  for (const problem of qualifiedNameProblems(name)) yield at.invalid(name, problem);
}

interface Binding {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

/** What has to come true before a pod is bound, and what ends the waiting: both or none, and nothing in both. */
export function* bindingIssues(
  { bindingConditions = [], bindingFailureConditions = [] }: Binding,
  at: FieldPath,
): Iterable<Issue> {
  const [conditions, failures] = [at('bindingConditions'), at('bindingFailureConditions')];
  for (const [list, place] of [
    [bindingConditions, conditions],
    [bindingFailureConditions, failures],
  ] as const) {
    for (const [index, name] of list.entries()) yield* labelName(name, place(index));
    yield* atMost(list, conditionsMax, place);
    yield* once(list, place);
  }
  for (const [index, name] of bindingFailureConditions.entries())
    if (bindingConditions.includes(name))
      yield failures(index).invalid(name, 'bindingFailureConditions must not overlap with bindingConditions');
  if (bindingConditions.length === 0 && bindingFailureConditions.length > 0)
    yield conditions.invalid(bindingConditions, 'bindingConditions are required to use bindingFailureConditions');
  if (bindingFailureConditions.length === 0 && bindingConditions.length > 0)
    yield failures.invalid(bindingFailureConditions, 'bindingFailureConditions are required to use bindingConditions');
}

interface Where {
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
}

/** What is wrong with the ways to say on which nodes something is; whether exactly one is used is for others to say. */
export function* whereIssues({ nodeName, nodeSelector, allNodes }: Where, at: FieldPath): Iterable<Issue> {
  if (nodeName !== undefined && nodeName !== '') yield* dnsSubdomain(nodeName, at('nodeName'));
  if (nodeSelector !== undefined) yield* validateNodeSelector(nodeSelector, () => at('nodeSelector'));
  if (allNodes === false) yield at('allNodes').invalid(allNodes, 'must be either unset or set to true');
}

export function waysOf({ nodeName, nodeSelector, allNodes }: Where): readonly string[] {
  return [
    ...((nodeName ?? '') !== '' ? ['`nodeName`'] : []),
    ...(nodeSelector !== undefined ? ['`nodeSelector`'] : []),
    ...(allNodes === true ? ['`allNodes`'] : []),
  ];
}
