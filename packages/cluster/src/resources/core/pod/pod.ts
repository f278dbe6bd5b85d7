import type { Pod, PodCondition, PodSpec } from '../../../api/generated/core-v1.ts';
import { pods } from '../../../api/generated/kinds.ts';
import { toTimestamp } from '../../../base/clock.ts';
import { fresh } from '../../../base/fresh.ts';
import { defineResource, type ResourceDefinition, type SelectableField } from '../../resource.ts';
import { bindingSubresource } from './binding.ts';
import { podColumns } from './columns.ts';
import { defaultPod } from './defaults.ts';
import { ephemeralContainersSubresource } from './ephemeral-containers.ts';
import { podGracePeriodSeconds, qosClassOf } from './facts.ts';
import { withKeptStatus } from './kept-status.ts';
import { withLabelKeys } from './label-keys.ts';
import { resizeSubresource } from './resize.ts';
import { validatePod, validatePodCreate } from './validation/spec.ts';
import { validatePodStatusUpdate, validatePodUpdate } from './validation/update.ts';
import { newPodWarnings, podWarnings } from './warnings.ts';

const selectableFields: readonly SelectableField<Pod>[] = [
  { path: 'spec.nodeName', of: ({ spec }) => spec.nodeName ?? '' },
  { path: 'spec.restartPolicy', of: ({ spec }) => spec.restartPolicy ?? '' },
  { path: 'spec.schedulerName', of: ({ spec }) => spec.schedulerName ?? '' },
  { path: 'spec.serviceAccountName', of: ({ spec }) => spec.serviceAccountName ?? '' },
  { path: 'spec.hostNetwork', of: ({ spec }) => String(spec.hostNetwork ?? false) },
  { path: 'status.phase', of: ({ status }) => status?.phase ?? '' },
  { path: 'status.podIP', of: ({ status }) => status?.podIPs?.[0]?.ip ?? status?.podIP ?? '' },
  { path: 'status.podIPs', of: ({ status }) => status?.podIPs?.[0]?.ip ?? status?.podIP ?? '' },
  { path: 'status.nominatedNodeName', of: ({ status }) => status?.nominatedNodeName ?? '' },
];

const connections = ['attach', 'exec', 'portforward', 'proxy'];

export const podDefinition: ResourceDefinition<Pod> = defineResource(pods, {
  schema: 'io.k8s.api.core.v1.Pod',
  traits: { counted: true, returnsDeleted: true },
  hasStatus: true,
  // Who owns it is not for those to say who own its status: old kubelets have corrupted it.
  statusKeeps: 'ownerReferences',
  // Why it waits, and for which node; why it has to go.
  says: ['nominatedNodeName'],
  shortNames: ['po'],
  categories: ['all'],
  columns: podColumns,
  selectableFields,
  subresources: [
    bindingSubresource,
    ephemeralContainersSubresource,
    {
      name: 'eviction',
      verbs: ['create'],
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      schema: 'io.k8s.api.policy.v1.Eviction',
      does: 'evict',
    },
    { name: 'log', verbs: ['get'], kind: pods, does: 'log' },
    resizeSubresource,
  ],
  connections,
  refusedSubresources: Object.fromEntries(
    connections.map((name) => [
      name,
      `this server cannot open a stream into a pod (pods/${name}); what a container writes is in its log`,
    ]),
  ),
  defaults: defaultPod,
  prepareForCreate,
  concludeNew: withQosClass,
  defaultsByStatus: withKeptStatus,
  *validate(pod, at) {
    yield* validatePod(pod, at);
    // A pod that has no version yet is on its way in.
    if ((pod.metadata?.resourceVersion ?? '') === '') yield* validatePodCreate(pod, at);
  },
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: validatePodStatusUpdate,
  warnings: podWarnings,
  warningsOfNew: newPodWarnings,
  gracePeriodSeconds: podGracePeriodSeconds,
});

const gatedCondition: Omit<PodCondition, 'lastTransitionTime'> = Object.freeze({
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

function prepareForCreate(pod: Pod, { nowMs }: { readonly nowMs: number }): Pod {
  const gated = (pod.spec.schedulingGates ?? []).length > 0;
  return {
    ...fresh,
    ...pod,
    spec: withGracePeriod(withLabelKeys(pod)),
    status: {
      phase: 'Pending',
      qosClass: qosClassOf(pod.spec),
      ...(gated && { conditions: [{ ...gatedCondition, lastTransitionTime: toTimestamp(nowMs) }] }),
    },
  };
}

/** Rules of admission give it requests and limits. */
function withQosClass(pod: Pod): Pod {
  const qosClass = qosClassOf(pod.spec);
  return pod.status?.qosClass === qosClass ? pod : { ...fresh, ...pod, status: { ...fresh, ...pod.status, qosClass } };
}

/** As upstream, which once took what was negative for the shortest. */
function withGracePeriod(spec: PodSpec): PodSpec {
  return (spec.terminationGracePeriodSeconds ?? 0) < 0 ? { ...fresh, ...spec, terminationGracePeriodSeconds: 1 } : spec;
}
