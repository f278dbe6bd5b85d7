import type { ReplicationController } from '../../api/generated/core-v1.ts';
import { replicationcontrollers } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { scaleSubresource } from '../apps/scale.ts';
import { selectorColumn, templateColumns } from '../apps/workload-columns.ts';
import {
  replicaSetParts,
  validateForever,
  validateNotNegative,
  validateReplicaCounts,
} from '../apps/workload-validation.ts';
import { integerColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { amend, amendPart, fill } from './pod/fill.ts';
import { defaultPodTemplate, validatePodTemplate } from './pod/template.ts';
import { nameWarnings, templateWarnings } from './pod/warnings.ts';

/** What a ReplicaSet was before it had selectors with expressions: its selector is a map of labels. */
export const replicationcontrollerDefinition: ResourceDefinition<ReplicationController> = defineResource(
  replicationcontrollers,
  {
    schema: 'io.k8s.api.core.v1.ReplicationController',
    traits: { counted: true, orphansByDefault: true },
    hasStatus: true,
    shortNames: ['rc'],
    categories: ['all'],
    columns: [
      integerColumn('Desired', ({ spec }) => spec.replicas ?? 0),
      integerColumn('Current', ({ status }) => status?.replicas ?? 0),
      integerColumn('Ready', ({ status }) => status?.readyReplicas ?? 0),
      ...templateColumns<ReplicationController>(({ spec }) => spec.template),
      selectorColumn(({ spec }) => ({ matchLabels: spec.selector ?? {} })),
    ],
    selectableFields: [{ path: 'status.replicas', of: ({ status }) => String(status?.replicas ?? 0) }],
    subresources: [scaleSubresource<ReplicationController>(({ selector }) => ({ matchLabels: selector ?? {} }))],
    defaults: (controller) => withLabels(amendPart(controller, 'spec', defaultSpec)),
    prepareForCreate: (controller) => ({ ...controller, status: { replicas: 0 } }),
    *validate({ spec }, at) {
      yield* validateNotNegative(spec, at('spec'), ['replicas', 'minReadySeconds']);
      if (Object.keys(spec.selector ?? {}).length === 0) yield at('spec', 'selector').required();
      if (spec.template === undefined) yield at('spec', 'template').required();
      else yield* validateTemplate(spec, at('spec', 'template'));
    },
    *validateStatusUpdate({ status }, _current, at) {
      yield* validateReplicaCounts(status ?? {}, at('status'), { parts: replicaSetParts });
      yield* validateNotNegative(status ?? { replicas: 0 }, at('status'), ['observedGeneration']);
    },
    warnings: (next, current) => templateWarnings(next.spec?.template, { path: 'spec.template', next, current }),
    warningsOfNew: ({ metadata }) => nameWarnings(metadata.name),
  },
);

type Spec = ReplicationController['spec'];

/** Whoever names no selector means the labels of the template. */
function defaultSpec(given: Spec): Spec {
  const spec = amend(fill<Spec>(given, { replicas: 1 }), 'template', defaultPodTemplate);
  const labels = spec.template?.metadata?.labels;
  const isNamed = Object.keys(spec.selector ?? {}).length > 0;
  return isNamed || labels === undefined ? spec : { ...spec, selector: labels };
}

function withLabels(controller: ReplicationController): ReplicationController {
  const labels = controller.spec.template?.metadata?.labels;
  const { metadata } = controller;
  if (labels === undefined || Object.keys(metadata.labels ?? {}).length > 0) return controller;
  return { ...controller, metadata: { ...metadata, labels } };
}

function* validateTemplate({ selector = {}, template }: Spec, at: FieldPath): Iterable<Issue> {
  const labels = template?.metadata?.labels;
  if (Object.entries(selector).some(([key, value]) => labels?.[key] !== value))
    yield at('metadata', 'labels').invalid(labels ?? null, '`selector` does not match template `labels`');
  yield* validatePodTemplate(template, at);
  yield* validateForever(template, at, 'ReplicationController');
}
