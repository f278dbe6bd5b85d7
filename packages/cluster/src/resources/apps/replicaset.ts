import type { ReplicaSet, ReplicaSetSpec } from '../../api/generated/apps-v1.ts';
import { replicasets } from '../../api/generated/kinds.ts';
import { integerColumn } from '../columns.ts';
import { amendPart, fill } from '../core/pod/fill.ts';
import { defaultPodTemplate } from '../core/pod/template.ts';
import { templateWarnings } from '../core/pod/warnings.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { scaleSubresource } from './scale.ts';
import { selectorColumn, templateColumns } from './workload-columns.ts';
import {
  replicaSetParts,
  validateNotNegative,
  validateReplicaCounts,
  validateWorkload,
} from './workload-validation.ts';

const specFields = Object.freeze({ replicas: 1 });

export const replicasetDefinition: ResourceDefinition<ReplicaSet> = defineResource(replicasets, {
  schema: 'io.k8s.api.apps.v1.ReplicaSet',
  traits: { counted: true },
  hasStatus: true,
  shortNames: ['rs'],
  categories: ['all'],
  columns: [
    integerColumn('Desired', ({ spec }) => spec.replicas ?? 0),
    integerColumn('Current', ({ status }) => status?.replicas ?? 0),
    integerColumn('Ready', ({ status }) => status?.readyReplicas ?? 0),
    ...templateColumns<ReplicaSet>(({ spec }) => spec.template),
    selectorColumn(({ spec }) => spec.selector),
  ],
  subresources: [scaleSubresource<ReplicaSet>()],
  defaults: (set) =>
    amendPart(set, 'spec', (spec) => amendPart(fill<ReplicaSetSpec>(spec, specFields), 'template', defaultPodTemplate)),
  prepareForCreate: (set) => ({ ...set, status: { replicas: 0 } }),
  *validate({ spec }, at) {
    yield* validateNotNegative(spec, at('spec'), ['replicas', 'minReadySeconds']);
    // Upstream's message calls the kind a deployment here; clients know it so.
    yield* validateWorkload(spec, at('spec'), {
      emptyName: 'deployment',
      deadlineName: 'ReplicaSet',
      unselected: 'both',
      tellsSelector: 'invalid label selector',
    });
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.spec?.selector, current.spec.selector, at('spec', 'selector'));
  },
  *validateStatusUpdate({ status }, _current, at) {
    yield* validateReplicaCounts(status ?? {}, at('status'), { parts: replicaSetParts });
    yield* validateNotNegative(status ?? {}, at('status'), ['observedGeneration', 'terminatingReplicas']);
  },
  warnings: (next, current) => templateWarnings(next.spec?.template, { path: 'spec.template', next, current }),
});
