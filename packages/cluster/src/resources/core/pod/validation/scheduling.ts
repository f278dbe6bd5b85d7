import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinityTerm,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
} from '../../../../api/generated/core-v1.ts';
import type { Issue } from '../../../../api/issue.ts';
import { validateSelector } from '../../../../api/selector/selector.ts';
import {
  dnsLabel,
  dnsSubdomain,
  isDnsLabel,
  isDnsSubdomain,
  isQualifiedName,
  labelIssues,
  labelValue,
  qualifiedName,
} from '../../../validation/names.ts';
import { inside, type Place } from './place.ts';

const taintEffects: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const tolerationOperators: readonly string[] = ['Equal', 'Exists'];
const spreadActions: readonly string[] = ['DoNotSchedule', 'ScheduleAnyway'];
const spreadPolicies: readonly string[] = ['Honor', 'Ignore'];
const plainValue = /^[A-Za-z0-9]{0,63}$/;

/** Everything in the spec that says where the pod may run. */
export function* validatePlacement(spec: PodSpec, at: Place): Iterable<Issue> {
  if (spec.nodeSelector !== undefined) yield* labelIssues(spec.nodeSelector, at()('nodeSelector'));
  if (spec.affinity !== undefined) yield* validateAffinity(spec.affinity, inside(at, 'affinity'));
  if (spec.tolerations !== undefined) yield* validateTolerations(spec.tolerations, inside(at, 'tolerations'));
  if (spec.topologySpreadConstraints !== undefined)
    yield* validateSpread(spec.topologySpreadConstraints, inside(at, 'topologySpreadConstraints'));
}

export function* validateTolerations(tolerations: readonly Toleration[], place: Place): Iterable<Issue> {
  for (let index = 0; index < tolerations.length; index++) {
    const toleration = tolerations[index] as Toleration;
    const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
    const at = inside(place, index);
    if (key !== '' && !isQualifiedName(key)) yield* qualifiedName(key, at()('key'));
    if (key === '' && operator !== 'Exists')
      yield at()('operator').invalid(
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      );
    if (tolerationSeconds !== undefined && effect !== 'NoExecute')
      yield at()('effect').invalid(effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    if (operator === '' || operator === 'Equal') {
      if (!plainValue.test(value)) yield* labelValue(value, at()('operator'));
    } else if (operator === 'Exists') {
      if (value !== '') yield at()('operator').invalid(value, "value must be empty when `operator` is 'Exists'");
    } else yield at()('operator').notSupported(operator, tolerationOperators);
    if (effect !== '' && !taintEffects.includes(effect)) yield at()('effect').notSupported(effect, taintEffects);
  }
}

export function* validateAffinity(affinity: Affinity, at: Place): Iterable<Issue> {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  if (nodeAffinity !== undefined) {
    const place = inside(at, 'nodeAffinity');
    const required = nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    if (required !== undefined)
      yield* validateNodeSelector(required, inside(place, 'requiredDuringSchedulingIgnoredDuringExecution'));
    const preferred = nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const [index, { weight, preference }] of preferred.entries()) {
      const term = inside(place, 'preferredDuringSchedulingIgnoredDuringExecution', index);
      yield* validateWeight(weight, term);
      yield* validateNodeTerm(preference ?? {}, inside(term, 'preference'));
    }
  }
  if (podAffinity !== undefined) yield* validatePodAffinity(podAffinity, inside(at, 'podAffinity'));
  if (podAntiAffinity !== undefined) yield* validatePodAffinity(podAntiAffinity, inside(at, 'podAntiAffinity'));
}

export function* validateNodeSelector(selector: NodeSelector, at: Place): Iterable<Issue> {
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) yield at()('nodeSelectorTerms').required('must have at least one node selector term');
  for (let index = 0; index < terms.length; index++)
    yield* validateNodeTerm(terms[index] as NodeSelectorTerm, inside(at, 'nodeSelectorTerms', index));
}

function* validateNodeTerm(term: NodeSelectorTerm, at: Place): Iterable<Issue> {
  const { matchExpressions = [], matchFields = [] } = term;
  for (let index = 0; index < matchExpressions.length; index++)
    yield* validateExpression(
      matchExpressions[index] as NodeSelectorRequirement,
      inside(at, 'matchExpressions', index),
    );
  for (let index = 0; index < matchFields.length; index++)
    yield* validateField(matchFields[index] as NodeSelectorRequirement, inside(at, 'matchFields', index));
}

function* validateExpression(
  { key = '', operator, values = [] }: Partial<NodeSelectorRequirement>,
  at: Place,
): Iterable<Issue> {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) yield at()('values').required("must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        yield at()('values').forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1)
        yield at()('values').required("must be specified single value when `operator` is 'Lt' or 'Gt'");
      break;
    default:
      yield at()('operator').invalid(operator ?? '', 'not a valid selector operator');
  }
  if (!isQualifiedName(key)) yield* qualifiedName(key, at()('key'));
}

function* validateField({ key, operator, values = [] }: NodeSelectorRequirement, at: Place): Iterable<Issue> {
  if (operator !== 'In' && operator !== 'NotIn')
    yield at()('operator').invalid(operator ?? '', 'not a valid selector operator');
  else if (values.length !== 1)
    yield at()('values').required("must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  if (key !== 'metadata.name') {
    yield at()('key').invalid(key ?? '', 'not a valid field selector key');
    return;
  }
  for (const [index, value] of values.entries())
    if (!isDnsSubdomain(value)) yield* dnsSubdomain(value, at()('values', index));
}

function* validatePodAffinity(affinity: NonNullable<Affinity['podAffinity']>, at: Place): Iterable<Issue> {
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  for (const [index, term] of required.entries())
    yield* validatePodTerm(term, inside(at, 'requiredDuringSchedulingIgnoredDuringExecution', index));
  const preferred = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  for (const [index, { weight, podAffinityTerm }] of preferred.entries()) {
    const place = inside(at, 'preferredDuringSchedulingIgnoredDuringExecution', index);
    yield* validateWeight(weight, place);
    yield* validatePodTerm(podAffinityTerm ?? { topologyKey: '' }, inside(place, 'podAffinityTerm'));
  }
}

function* validateWeight(weight: number | undefined, at: Place): Iterable<Issue> {
  if (weight === undefined || weight < 1 || weight > 100)
    yield at()('weight').invalid(weight ?? 0, 'must be in the range 1-100');
}

function* validatePodTerm(term: Partial<PodAffinityTerm>, at: Place): Iterable<Issue> {
  if (term.labelSelector !== undefined) yield* validateSelector(term.labelSelector, at()('labelSelector'));
  if (term.namespaceSelector !== undefined) yield* validateSelector(term.namespaceSelector, at()('namespaceSelector'));
  for (const namespace of term.namespaces ?? [])
    if (!isDnsLabel(namespace)) yield* dnsLabel(namespace, at()('namespace'));
  yield* validateLabelKeys(term, at);
  const { topologyKey = '' } = term;
  if (topologyKey === '') yield at()('topologyKey').required('can not be empty');
  else if (!isQualifiedName(topologyKey)) yield* qualifiedName(topologyKey, at()('topologyKey'));
}

/**
 * The values of `matchLabelKeys` are in the selector of a pod by now, so what is there twice was there before them. A template
 * has no such values yet. As upstream, the place is the entry of the term, not of its keys.
 */
function* validateLabelKeys(term: Partial<PodAffinityTerm>, at: Place): Iterable<Issue> {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  for (const field of ['matchLabelKeys', 'mismatchLabelKeys'] as const) {
    const keys = term[field] ?? [];
    if (keys.length > 0 && labelSelector === undefined) {
      yield at()(field).forbidden('must not be specified when labelSelector is not set');
      continue;
    }
    for (const [index, key] of keys.entries()) if (!isQualifiedName(key)) yield* qualifiedName(key, at()(field, index));
  }
  if (matchLabelKeys.length === 0) return;
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key = '' } of labelSelector?.matchExpressions ?? []) {
    const index = matchLabelKeys.lastIndexOf(key);
    if (index >= 0 && selected.has(key))
      yield at()(index).invalid(key, 'exists in both matchLabelKeys and labelSelector');
    selected.add(key);
  }
  for (const [index, key] of matchLabelKeys.entries())
    if (mismatchLabelKeys.includes(key))
      yield at()('matchLabelKeys', index).invalid(key, 'exists in both matchLabelKeys and mismatchLabelKeys');
}

function isSamePair(a: Partial<TopologySpreadConstraint>, b: Partial<TopologySpreadConstraint>): boolean {
  return a.topologyKey === b.topologyKey && a.whenUnsatisfiable === b.whenUnsatisfiable;
}

function* validateSpread(constraints: readonly TopologySpreadConstraint[], place: Place): Iterable<Issue> {
  for (let index = 0; index < constraints.length; index++) {
    const constraint = constraints[index] as Partial<TopologySpreadConstraint>;
    const at = inside(place, index);
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '' } = constraint;
    if (maxSkew <= 0) yield at()('maxSkew').invalid(maxSkew, 'must be greater than zero');
    if (topologyKey === '') yield at()('topologyKey').required('can not be empty');
    if (!spreadActions.includes(whenUnsatisfiable))
      yield at()('whenUnsatisfiable').notSupported(whenUnsatisfiable, spreadActions);
    const pair = `{${topologyKey}, ${whenUnsatisfiable}}`;
    // As upstream, which tells it of the one before.
    if (constraints.some((other, later) => later > index && isSamePair(other, constraint)))
      yield { ...at().duplicate(pair), field: `${at().toString()}.{topologyKey, whenUnsatisfiable}` };
    yield* validateSpreadOptions(constraint, at);
  }
}

function* validateSpreadOptions(constraint: Partial<TopologySpreadConstraint>, at: Place): Iterable<Issue> {
  const { minDomains, whenUnsatisfiable, labelSelector, matchLabelKeys = [] } = constraint;
  if (minDomains !== undefined) {
    if (minDomains <= 0) yield at()('minDomains').invalid(minDomains, 'must be greater than zero');
    if (whenUnsatisfiable !== 'DoNotSchedule')
      yield at()('minDomains').invalid(
        minDomains,
        `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
      );
  }
  for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
    const policy = constraint[field];
    if (policy !== undefined && !spreadPolicies.includes(policy))
      yield at()(field).notSupported(policy, spreadPolicies);
  }
  yield* validateLabelKeys({ ...(labelSelector && { labelSelector }), matchLabelKeys }, at);
  if (labelSelector !== undefined) yield* validateSelector(labelSelector, at()('labelSelector'));
}
