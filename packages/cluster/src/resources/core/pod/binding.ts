import { mergeConditions } from '../../../api/conditions.ts';
import type { Binding, Pod } from '../../../api/generated/core-v1.ts';
import { nodes } from '../../../api/generated/kinds.ts';
import { type Issue, root } from '../../../api/issue.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { conflict, invalid, StatusError } from '../../../api/status.ts';
import { toTimestamp } from '../../../base/clock.ts';
import type { Subresource } from '../../resource.ts';

const scheduled = { type: 'PodScheduled', status: 'True' };
const door = { group: '', resource: 'pods/binding' };

/** How a scheduler gives a pod its node. Once; a pod that has one, is being deleted or waits at a gate gets none. */
export const bindingSubresource: Subresource<Pod> = {
  name: 'binding',
  verbs: ['create'],
  kind: { group: '', version: 'v1', kind: 'Binding' },
  schema: 'io.k8s.api.core.v1.Binding',
  // Nobody else may set the node of a pod, and what a pod is to be does not change by it.
  keepsAsWritten: true,
  write: (pod, body, now) => bind(pod, body as Binding, now),
};

function bind(pod: Pod, binding: Binding, now: { readonly nowMs: number } | undefined): Pod {
  const { name } = pod.metadata;
  const issues = [...bindingIssues(binding)];
  if (issues.length > 0) throw new StatusError(invalid({ group: '', kind: 'Binding' }, name, issues));
  const refusal = refusalOf(pod, binding);
  if (refusal !== undefined) throw new StatusError(conflict(door, name, refusal));
  const { annotations, labels } = binding.metadata ?? {};
  const at = now === undefined ? pod.metadata.creationTimestamp : toTimestamp(now.nowMs);
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(annotations !== undefined && { annotations: { ...pod.metadata.annotations, ...annotations } }),
      ...(labels !== undefined && { labels: { ...pod.metadata.labels, ...labels } }),
    },
    spec: { ...pod.spec, nodeName: binding.target.name ?? '' },
    status: { ...pod.status, conditions: mergeConditions(pod.status?.conditions, [scheduled], at) },
  };
}

function* bindingIssues({ target }: Binding): Iterable<Issue> {
  const at = root('target');
  const { kind = '', name = '' } = target ?? {};
  if (!['', nodes.kind].includes(kind)) yield at('kind').notSupported(kind, ['Node', '<empty>']);
  if (name === '') yield at('name').required();
}

function refusalOf({ metadata, spec }: Pod, binding: KubeObject): string | undefined {
  const { uid, resourceVersion } = binding.metadata ?? {};
  if (uid !== undefined && uid !== '' && uid !== metadata.uid)
    return `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== metadata.resourceVersion)
    return `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`;
  if (metadata.deletionTimestamp !== undefined)
    return `pod ${metadata.name} is being deleted, cannot be assigned to a host`;
  if ((spec.nodeName ?? '') !== '') return `pod ${metadata.name} is already assigned to node "${spec.nodeName}"`;
  if ((spec.schedulingGates ?? []).length > 0) return `pod ${metadata.name} has non-empty .spec.schedulingGates`;
  return undefined;
}
