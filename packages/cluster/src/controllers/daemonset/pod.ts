import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Affinity, Pod, PodSpec } from '../../api/generated/core-v1.ts';
import type { New } from '../../api/meta.ts';
import { fresh } from '../../base/fresh.ts';
import { podFromTemplate } from '../../workloads/template.ts';
import { withAutomaticTolerations } from './tolerations.ts';

export const hashLabel = 'controller-revision-hash';
const generationLabel = 'pod-template-generation';
const generationAnnotation = 'deprecated.daemonset.template.generation';

/** Makes the pods of one DaemonSet and revision: everything but the node is built once and shared. */
export function podBuilder(daemonset: DaemonSet, hash: string): (nodeName: string) => New<Pod> {
  const { template } = daemonset.spec;
  const generation = daemonset.metadata.annotations?.[generationAnnotation];
  const labels = { [hashLabel]: hash, ...(generation !== undefined && { [generationLabel]: generation }) };
  const tolerations = withAutomaticTolerations(template.spec);
  const spec: PodSpec = { ...(template.spec ?? { containers: [] }), tolerations };
  const pod = podFromTemplate(template, { owner: daemonset, labels, spec });
  return (nodeName) => ({ ...pod, spec: { ...fresh, ...spec, affinity: pinnedTo(nodeName, spec.affinity) } });
}

/** The default scheduler binds the pod, but only to this node. What the template prefers is kept. */
function pinnedTo(nodeName: string, affinity: Affinity | undefined): Affinity {
  const requirement = { key: 'metadata.name', operator: 'In', values: [nodeName] };
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [requirement] }] },
    },
  };
}

/** The node that a daemon pod is on or is meant for; undefined for a pod that no DaemonSet made like that. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec?.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  for (const { matchFields = [] } of terms ?? [])
    for (const { key, operator, values } of matchFields)
      if (key === 'metadata.name' && operator === 'In' && values?.length === 1) return values[0];
  return undefined;
}

export function isBound({ spec }: Pod): boolean {
  return spec?.nodeName !== undefined && spec.nodeName !== '';
}

export function hashOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[hashLabel];
}
