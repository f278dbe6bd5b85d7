import type { KubeObject, Pod } from '@signalbox/cluster';
import type { LabelSet } from '../../relabel/execute.ts';
import { labelName } from '../../relabel/rule.ts';

/** Labels as Prometheus' Kubernetes discovery spells them. */
export const meta = '__meta_kubernetes_';

/** Labels and annotations of an object of a role: `__meta_kubernetes_pod_label_app`, and that it is there. */
export function objectLabels(role: string, { metadata }: Pick<KubeObject, 'metadata'>): LabelSet {
  const out: Record<string, string> = {};
  for (const part of ['label', 'annotation'] as const)
    for (const [name, value] of Object.entries(metadata[`${part}s`] ?? {})) {
      out[`${meta}${role}_${part}_${labelName(name)}`] = value;
      out[`${meta}${role}_${part}present_${labelName(name)}`] = 'true';
    }
  return out;
}

/** What every target of a pod has. */
export function podLabels(pod: Pod): LabelSet {
  const { metadata, spec, status } = pod;
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'unknown';
  return {
    [`${meta}pod_name`]: metadata.name,
    [`${meta}pod_ip`]: status?.podIP ?? '',
    [`${meta}pod_ready`]: ready.toLowerCase(),
    [`${meta}pod_phase`]: status?.phase ?? '',
    [`${meta}pod_node_name`]: spec.nodeName ?? '',
    [`${meta}pod_host_ip`]: status?.hostIP ?? '',
    [`${meta}pod_uid`]: metadata.uid,
    ...(controller !== undefined && {
      [`${meta}pod_controller_kind`]: controller.kind,
      [`${meta}pod_controller_name`]: controller.name,
    }),
    ...objectLabels('pod', pod),
  };
}

/** `10.0.0.1:80`, `[::1]:80` */
export function hostPort(host: string, port: number | string): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
