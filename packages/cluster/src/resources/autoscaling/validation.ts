import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from '../../api/generated/autoscaling-v2.ts';
import { replicationcontrollers } from '../../api/generated/kinds.ts';
import { isOfKind } from '../../api/gvk.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { validateSelector } from '../../api/selector/selector.ts';
import { pathSegmentName } from '../validation/names.ts';

const windowSecondsMax = 3600;
const periodSecondsMax = 1800;

export function* validateAutoscaler({ spec }: HorizontalPodAutoscaler, root: FieldPath): Iterable<Issue> {
  const at = root('spec');
  const { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior } = spec;
  if (minReplicas !== undefined && minReplicas < 1)
    yield at('minReplicas').invalid(minReplicas, 'must be greater than or equal to 1');
  if ((maxReplicas ?? 0) < 1) yield at('maxReplicas').invalid(maxReplicas ?? 0, 'must be greater than 0');
  if (minReplicas !== undefined && (maxReplicas ?? 0) < minReplicas)
    yield at('maxReplicas').invalid(maxReplicas ?? 0, 'must be greater than or equal to `minReplicas`');
  yield* referenceIssues(scaleTargetRef, at('scaleTargetRef'));
  const { apiVersion = '', kind } = scaleTargetRef ?? {};
  // The one kind to scale that has no group.
  const hasGroup = apiVersion.indexOf('/') > 0 || apiVersion.split('/').length > 2;
  if (!hasGroup && !isOfKind({ apiVersion, kind }, replicationcontrollers))
    yield at('scaleTargetRef', 'apiVersion').invalid(apiVersion, 'apiVersion must specify API group');
  for (const [index, metric] of metrics.entries()) yield* metricIssues(metric, at('metrics', index));
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External'))
    yield at('metrics').forbidden(
      'must specify at least one Object or External metric to support scaling to zero replicas',
    );
  yield* behaviorIssues(behavior, at('behavior'));
}

export function* validateAutoscalerStatus({ status }: HorizontalPodAutoscaler, root: FieldPath): Iterable<Issue> {
  for (const field of ['currentReplicas', 'desiredReplicas'] as const) {
    const count = status?.[field] ?? 0;
    if (count < 0) yield root('status', field).invalid(count, 'must be greater than or equal to 0');
  }
}

function* referenceIssues(
  reference: HorizontalPodAutoscalerSpec['scaleTargetRef'] | undefined,
  at: FieldPath,
): Iterable<Issue> {
  for (const field of ['kind', 'name'] as const) {
    const value = reference?.[field] ?? '';
    if (value === '') yield at(field).required();
    else yield* pathSegmentName(value, at(field));
  }
  const { apiVersion = '' } = reference ?? {};
  if (apiVersion.split('/').length > 2)
    yield at('apiVersion').invalid(apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
}

/** The field that each type of metric fills in. */
const sourceFields = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
} as const;

function* metricIssues(metric: MetricSpec, at: FieldPath): Iterable<Issue> {
  const type = metric.type ?? '';
  const expected = isMetricType(type) ? sourceFields[type] : undefined;
  if (type === '') yield at('type').required('must specify a metric source type');
  if (expected === undefined) yield at('type').notSupported(type, Object.keys(sourceFields));
  else if (metric[expected] === undefined)
    yield at(expected).required('must populate information for the given metric source');
  const present = sourcesInTurn.filter((field) => metric[field] !== undefined);
  const [first, ...others] = present;
  if (first === undefined) return;
  // As upstream: one that is another than the type says is not forbidden, and of several only the first is looked at.
  if (others.length > 0)
    for (const field of present)
      if (field !== expected) yield at(field).forbidden('must populate the given metric source only');
  yield* sourceIssues({ type, [first]: metric[first] }, at(first));
}

const sourcesInTurn = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;

function isMetricType(type: string): type is keyof typeof sourceFields {
  return Object.hasOwn(sourceFields, type);
}

function* sourceIssues(metric: MetricSpec, at: FieldPath): Iterable<Issue> {
  const { resource, containerResource, pods, object, external } = metric;
  if (resource !== undefined) yield* resourceIssues(resource, at);
  if (containerResource !== undefined) {
    if ((containerResource.container ?? '') === '') yield at('container').required('must specify a container');
    yield* resourceIssues(containerResource, at);
  }
  if (pods !== undefined) {
    yield* identifierIssues(pods.metric, at('metric'));
    yield* targetIssues(pods.target, at('target'));
    if (pods.target?.averageValue === undefined)
      yield at('target', 'averageValue').required('must specify a positive target averageValue');
  }
  if (object !== undefined) yield* referenceIssues(object.describedObject, at('describedObject'));
  const valued = object ?? external;
  if (valued === undefined) return;
  yield* identifierIssues(valued.metric, at('metric'));
  yield* targetIssues(valued.target, at('target'));
  if (valued.target?.value === undefined && valued.target?.averageValue === undefined)
    yield at('target', 'averageValue').required(
      object === undefined
        ? 'must set either a target value for metric or a per-pod target'
        : 'must set either a target value or averageValue',
    );
  if (external !== undefined && external.target?.value !== undefined && external.target?.averageValue !== undefined)
    yield at('target', 'value').forbidden('may not set both a target value for metric and a per-pod target');
}

function* resourceIssues(
  { name = '', target }: { readonly name?: string; readonly target: MetricTarget },
  at: FieldPath,
): Iterable<Issue> {
  if (name === '') yield at('name').required('must specify a resource name');
  yield* targetIssues(target, at('target'));
  if (target?.averageUtilization === undefined && target?.averageValue === undefined)
    yield at('target', 'averageUtilization').required('must set either a target raw value or a target utilization');
  if (target?.averageUtilization !== undefined && target?.averageValue !== undefined)
    yield at('target', 'averageValue').forbidden('may not set both a target raw value and a target utilization');
}

function* identifierIssues(metric: MetricIdentifier | undefined, at: FieldPath): Iterable<Issue> {
  const name = metric?.name ?? '';
  if (name === '') yield at('name').required();
  else yield* pathSegmentName(name, at('name'));
  yield* validateSelector(metric?.selector, at('selector'));
}

const targetTypes: readonly string[] = ['Utilization', 'Value', 'AverageValue'];

function* targetIssues(target: MetricTarget | undefined, at: FieldPath): Iterable<Issue> {
  const type = target?.type ?? '';
  if (type === '') yield at('type').required('must specify a metric target type');
  else if (!targetTypes.includes(type))
    yield at('type').invalid(type, 'must be either Utilization, Value, or AverageValue');
  for (const field of ['value', 'averageValue'] as const) {
    const amount = target?.[field];
    if (amount !== undefined && (parseQuantity(amount) ?? 0n) <= 0n)
      yield at(field).invalid(amount, 'must be positive');
  }
  if (target?.averageUtilization !== undefined && target.averageUtilization < 1)
    yield at('averageUtilization').invalid(target.averageUtilization, 'must be greater than 0');
}

function* behaviorIssues(behavior: HorizontalPodAutoscalerSpec['behavior'], at: FieldPath): Iterable<Issue> {
  if (behavior?.scaleUp !== undefined) yield* scalingIssues(behavior.scaleUp, at('scaleUp'));
  if (behavior?.scaleDown !== undefined) yield* scalingIssues(behavior.scaleDown, at('scaleDown'));
}

function* scalingIssues(rules: HPAScalingRules, at: FieldPath): Iterable<Issue> {
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = rules;
  if (window !== undefined && window < 0)
    yield at('stabilizationWindowSeconds').invalid(window, 'must be greater than or equal to zero');
  if (window !== undefined && window > windowSecondsMax)
    yield at('stabilizationWindowSeconds').invalid(window, `must be less than or equal to ${windowSecondsMax}`);
  const choices = ['Disabled', 'Max', 'Min'];
  if (selectPolicy !== undefined && !choices.includes(selectPolicy))
    yield at('selectPolicy').notSupported(selectPolicy, choices);
  if (policies.length === 0) yield at('policies').required('must specify at least one Policy');
  for (const [index, policy] of policies.entries()) yield* policyIssues(policy, at('policies', index));
  if (tolerance !== undefined && (parseQuantity(tolerance) ?? -1n) < 0n)
    yield at('tolerance').invalid(tolerance, 'greater or equal to 0');
}

function* policyIssues({ type, value, periodSeconds }: HPAScalingPolicy, at: FieldPath): Iterable<Issue> {
  const types = ['Percent', 'Pods'];
  if (!types.includes(type)) yield at('type').notSupported(type, types);
  if (!(value > 0)) yield at('value').invalid(value, 'must be greater than zero');
  if (!(periodSeconds > 0)) yield at('periodSeconds').invalid(periodSeconds, 'must be greater than zero');
  else if (periodSeconds > periodSecondsMax)
    yield at('periodSeconds').invalid(periodSeconds, `must be less than or equal to ${periodSecondsMax}`);
}
