import type { StatefulSet, StatefulSetSpec, StatefulSetUpdateStrategy } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { statefulsets } from '../../api/generated/kinds.ts';
import { column } from '../columns.ts';
import { claimSpecWarnings } from '../core/given-up.ts';
import { amend, amendPart, each, fill } from '../core/pod/fill.ts';
import { defaultPodTemplate } from '../core/pod/template.ts';
import { templateWarnings } from '../core/pod/warnings.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { dnsLabel } from '../validation/names.ts';
import { scaleSubresource } from './scale.ts';
import { validateNewStatefulSet, validateStatefulSet, validateStatefulSetUpdate } from './statefulset-validation.ts';
import { templateColumns } from './workload-columns.ts';
import { validateCollisions, validateNotNegative, validateReplicaCounts } from './workload-validation.ts';

const replicaParts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;

export const statefulsetDefinition: ResourceDefinition<StatefulSet> = defineResource(statefulsets, {
  schema: 'io.k8s.api.apps.v1.StatefulSet',
  traits: { counted: true },
  hasStatus: true,
  shortNames: ['sts'],
  categories: ['all'],
  columns: [
    column('Ready', ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`),
    ...templateColumns<StatefulSet>(({ spec }) => spec.template),
  ],
  subresources: [scaleSubresource<StatefulSet>()],
  validateName: dnsLabel,
  defaults: (set) => amendPart(set, 'spec', defaultSpec),
  prepareForCreate: (set) => ({ ...set, status: { replicas: 0, availableReplicas: 0 } }),
  validate: validateStatefulSet,
  validateCreate: validateNewStatefulSet,
  validateUpdate: validateStatefulSetUpdate,
  *validateStatusUpdate(next, current, at) {
    yield* validateReplicaCounts(next.status ?? {}, at('status'), {
      parts: replicaParts,
      ready: 'status.readyReplicas',
    });
    yield* validateNotNegative(next.status ?? {}, at('status'), ['observedGeneration']);
    yield* validateCollisions(next, current, at);
  },
  *warnings(next, current) {
    const { spec } = next;
    yield* templateWarnings(spec?.template, { path: 'spec.template', next, current });
    // As upstream, which calls it otherwise in a change.
    const within = current === undefined ? '' : '.Spec';
    for (const [index, claim] of (spec?.volumeClaimTemplates ?? []).entries())
      yield* claimSpecWarnings(claim.spec, `spec.volumeClaimTemplates[${index}]${within}`);
    if ((spec?.revisionHistoryLimit ?? 0) < 0)
      yield 'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
  },
});

const retain = Object.freeze({ whenDeleted: 'Retain', whenScaled: 'Retain' });
const specFields = Object.freeze({
  podManagementPolicy: 'OrderedReady',
  updateStrategy: Object.freeze({}),
  persistentVolumeClaimRetentionPolicy: retain,
  replicas: 1,
  revisionHistoryLimit: 10,
});
const rollingFields = Object.freeze({ partition: 0 });
const claimFields = Object.freeze({ apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
const claimSpecFields = Object.freeze({ volumeMode: 'Filesystem' });
const claimStatusFields = Object.freeze({ phase: 'Pending' });

function defaultSpec(given: StatefulSetSpec): StatefulSetSpec {
  // Upstream writes it, given or not.
  const named = given.serviceName === undefined ? { ...given, serviceName: '' } : given;
  let spec = fill<StatefulSetSpec>(named, specFields);
  spec = amendPart(spec, 'template', defaultPodTemplate);
  spec = amend(spec, 'updateStrategy', defaultStrategy);
  spec = amend(spec, 'persistentVolumeClaimRetentionPolicy', (policy) => fill(policy, retain));
  return amend(spec, 'volumeClaimTemplates', (claims) => each(claims, defaultClaim));
}

/** Whoever names the type alone gets no partition: that is upstream's rule, and it shows. */
function defaultStrategy(given: StatefulSetUpdateStrategy): StatefulSetUpdateStrategy {
  const named = (given.type ?? '') !== '';
  const strategy = named
    ? given
    : fill<StatefulSetUpdateStrategy>(given, { type: 'RollingUpdate', rollingUpdate: rollingFields });
  if (strategy.type !== 'RollingUpdate') return strategy;
  return amend(strategy, 'rollingUpdate', (rolling) => fill(rolling, rollingFields));
}

function defaultClaim(given: PersistentVolumeClaim): PersistentVolumeClaim {
  let claim = fill<PersistentVolumeClaim>(given, claimFields as Partial<PersistentVolumeClaim>);
  claim = amend(claim, 'spec', (spec) => fill(spec, claimSpecFields));
  const status = fill(claim.status ?? {}, claimStatusFields);
  return status === claim.status ? claim : { ...claim, status };
}
