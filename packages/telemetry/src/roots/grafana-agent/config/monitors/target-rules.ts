import { constant, copy, drop, labelName, type RelabelRule } from '../../../../relabel/rule.ts';
import type { ScrapeEndpoint } from '../../../../resources/fields.ts';

/** Runs of rules that the jobs of several kinds of monitors have in common, each in upstream's order. */

/** Where a target runs. */
export const placeRules: readonly RelabelRule[] = [
  copy('__meta_kubernetes_namespace', 'namespace'),
  copy('__meta_kubernetes_service_name', 'service'),
  copy('__meta_kubernetes_pod_name', 'pod'),
  copy('__meta_kubernetes_pod_container_name', 'container'),
];

/** The labels of the Service or Pod that targets are to have as well. */
export function targetLabelRules(
  labels: readonly string[] | undefined,
  kind: 'pod' | 'service',
): readonly RelabelRule[] {
  return (labels ?? []).map((label) => copySet(discovered(kind, label), labelName(label)));
}

/** The label of the Service or Pod that becomes the job, where it is set. */
export function jobLabelRules(label: string | undefined, kind: 'pod' | 'service'): readonly RelabelRule[] {
  return label ? [copySet(discovered(kind, label), 'job')] : [];
}

export function endpointRules({ port, targetPort }: ScrapeEndpoint): readonly RelabelRule[] {
  const name = port || String(targetPort || '');
  return name === '' ? [] : [constant('endpoint', name)];
}

/** Keeps pods that still run; only when asked, as the Agent Operator always had it. */
export function runningRules(filterRunning: boolean | undefined): readonly RelabelRule[] {
  return filterRunning === true ? [drop('__meta_kubernetes_pod_phase', '(Failed|Succeeded)')] : [];
}

/** Last word on the label by which tenants are told apart. */
export function namespaceRules(
  { enforcedNamespaceLabel }: { readonly enforcedNamespaceLabel: string },
  namespace = '',
): readonly RelabelRule[] {
  return enforcedNamespaceLabel === '' ? [] : [constant(enforcedNamespaceLabel, namespace)];
}

function discovered(kind: 'pod' | 'service', label: string): string {
  return `__meta_kubernetes_${kind}_label_${labelName(label)}`;
}

/**
 * Copies a label unless it is empty. `$1` and not `${1}`: the agents expand `${…}` in their whole file from the
 * environment before they read it.
 */
function copySet(from: string, to: string): RelabelRule {
  return { source_labels: [from], target_label: to, regex: '(.+)', replacement: '$1' };
}
