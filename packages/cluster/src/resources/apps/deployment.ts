import type { Deployment, DeploymentSpec, DeploymentStrategy } from '../../api/generated/apps-v1.ts';
import { deployments } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { column, countColumn } from '../columns.ts';
import { amend, amendPart, fill } from '../core/pod/fill.ts';
import { defaultPodTemplate } from '../core/pod/template.ts';
import { nameWarnings, templateWarnings } from '../core/pod/warnings.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { isNothing, validateAtMostAll, validateIntOrPercent } from './int-or-percent.ts';
import { scaleSubresource } from './scale.ts';
import { selectorColumn, templateColumns } from './workload-columns.ts';
import { validateCollisions, validateNotNegative, validateWorkload } from './workload-validation.ts';

export const deploymentDefinition: ResourceDefinition<Deployment> = defineResource(deployments, {
  schema: 'io.k8s.api.apps.v1.Deployment',
  traits: { counted: true, countsAnnotations: true },
  hasStatus: true,
  statusKeeps: 'labels',
  shortNames: ['deploy'],
  categories: ['all'],
  columns: [
    column('Ready', ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`),
    countColumn('Up-to-date', ({ status }) => status?.updatedReplicas ?? 0),
    countColumn('Available', ({ status }) => status?.availableReplicas ?? 0),
    ...templateColumns<Deployment>(({ spec }) => spec.template),
    selectorColumn(({ spec }) => spec.selector),
  ],
  subresources: [scaleSubresource<Deployment>()],
  defaults: (deployment) => amendPart(deployment, 'spec', defaultSpec),
  prepareForCreate: (deployment) => ({ ...deployment, status: {} }),
  *validate({ spec }, at) {
    yield* validateNotNegative(spec, at('spec'), ['replicas']);
    yield* validateWorkload(spec, at('spec'), {
      emptyName: 'deployment',
      deadlineName: 'ReplicaSet',
      unselected: 'both',
      tellsSelector: 'invalid label selector',
    });
    yield* validateStrategy(spec.strategy ?? {}, at('spec', 'strategy'));
    yield* validateNotNegative(spec, at('spec'), [
      'minReadySeconds',
      'revisionHistoryLimit',
      'progressDeadlineSeconds',
    ]);
    const { progressDeadlineSeconds, minReadySeconds = 0 } = spec;
    if (progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds)
      yield at('spec', 'progressDeadlineSeconds').invalid(
        progressDeadlineSeconds,
        'must be greater than minReadySeconds',
      );
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.spec?.selector, current.spec.selector, at('spec', 'selector'));
  },
  *validateStatusUpdate(next, current, at) {
    yield* validateStatus(next, at('status'));
    yield* validateCollisions(next, current, at);
  },
  warnings: (next, current) => templateWarnings(next.spec?.template, { path: 'spec.template', next, current }),
  warningsOfNew: ({ metadata }) => nameWarnings(metadata.name),
});

const specFields = Object.freeze({
  replicas: 1,
  strategy: Object.freeze({}),
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
});
const strategyFields = Object.freeze({ type: 'RollingUpdate' });
const rollingFields = Object.freeze({ maxUnavailable: '25%', maxSurge: '25%' });

function defaultSpec(given: DeploymentSpec): DeploymentSpec {
  const spec = amendPart(fill<DeploymentSpec>(given, specFields), 'template', defaultPodTemplate);
  return amend(spec, 'strategy', defaultStrategy);
}

function defaultStrategy(given: DeploymentStrategy): DeploymentStrategy {
  const strategy = fill<DeploymentStrategy>(given, strategyFields);
  if (strategy.type !== 'RollingUpdate') return strategy;
  return amend(fill<DeploymentStrategy>(strategy, { rollingUpdate: rollingFields }), 'rollingUpdate', (rolling) =>
    fill(rolling, rollingFields),
  );
}

function* validateStrategy({ type = '', rollingUpdate }: DeploymentStrategy, at: FieldPath): Iterable<Issue> {
  if (type === 'Recreate') {
    if (rollingUpdate !== undefined)
      yield at('rollingUpdate').forbidden("may not be specified when strategy `type` is 'Recreate'");
    return;
  }
  if (type !== 'RollingUpdate') {
    yield at.notSupported({ Type: type, RollingUpdate: rollingUpdate ?? null }, ['Recreate', 'RollingUpdate']);
    return;
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  yield* validateIntOrPercent(maxUnavailable, at('rollingUpdate', 'maxUnavailable'));
  yield* validateIntOrPercent(maxSurge, at('rollingUpdate', 'maxSurge'));
  if (isNothing(maxUnavailable) && isNothing(maxSurge))
    yield at('rollingUpdate', 'maxUnavailable').invalid(maxUnavailable, 'may not be 0 when `maxSurge` is 0');
  yield* validateAtMostAll(maxUnavailable, at('rollingUpdate', 'maxUnavailable'));
}

function* validateStatus({ status }: Deployment, at: FieldPath): Iterable<Issue> {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status ?? {};
  yield* validateNotNegative(status ?? {}, at, [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
  ]);
  const text = 'cannot be greater than status.replicas';
  if (updatedReplicas > replicas) yield at('updatedReplicas').invalid(updatedReplicas, text);
  if (readyReplicas > replicas) yield at('readyReplicas').invalid(readyReplicas, text);
  if (availableReplicas > replicas) yield at('availableReplicas').invalid(availableReplicas, text);
  if (availableReplicas > readyReplicas)
    yield at('availableReplicas').invalid(availableReplicas, 'cannot be greater than readyReplicas');
}
