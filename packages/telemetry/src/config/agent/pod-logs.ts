import { constant, copy, labelName } from '../../relabel/rule.ts';
import type { PodLogs } from '../../resources/pod-logs.ts';
import { given } from '../given.ts';
import { relabelRules } from './checks.ts';
import { copySet, kubernetesDiscovery, selectorRules } from './discovery.ts';
import type { Section } from './http.ts';
import type { Leaf } from './leaf.ts';
import { namespaceRules } from './service-monitor.ts';
import type { LogsSettings } from './settings.ts';
import { pipelineStages } from './stages.ts';

/** One job that tails the containers of the selected pods. */
export function podLogsJobs(logs: PodLogs, settings: LogsSettings, leaf: Leaf): readonly Section[] {
  const { metadata, spec } = logs;
  return [
    {
      job_name: `podLogs/${metadata.namespace}/${metadata.name}`,
      ...given({ pipeline_stages: pipelineStages(spec.pipelineStages ?? [], { leaf, at: 'spec.pipelineStages' }) }),
      kubernetes_sd_configs: [
        kubernetesDiscovery({
          role: 'pod',
          home: metadata.namespace ?? '',
          namespaces: spec.namespaceSelector,
          ignoreNamespaceSelectors: settings.ignoreNamespaceSelectors,
          apiServer: settings.apiServer,
        }),
      ],
      relabel_configs: [
        copy('job', '__tmp_prometheus_job_name'),
        ...selectorRules(spec.selector, 'pod', { leaf, at: 'spec.selector' }),
        copy('__meta_kubernetes_namespace', 'namespace'),
        copy('__meta_kubernetes_service_name', 'service'),
        copy('__meta_kubernetes_pod_name', 'pod'),
        copy('__meta_kubernetes_pod_container_name', 'container'),
        ...(spec.podTargetLabels ?? []).map((label) =>
          copySet(`__meta_kubernetes_pod_label_${labelName(label)}`, labelName(label)),
        ),
        constant('job', `${metadata.namespace}/${metadata.name}`),
        ...(spec.jobLabel ? [copySet(`__meta_kubernetes_pod_label_${labelName(spec.jobLabel)}`, 'job')] : []),
        {
          source_labels: ['__meta_kubernetes_pod_uid', '__meta_kubernetes_pod_container_name'],
          separator: '/',
          target_label: '__path__',
          replacement: '/var/log/pods/*$1/*.log',
        },
        ...relabelRules(spec.relabelings, { leaf, at: 'spec.relabelings' }),
        ...namespaceRules(settings, metadata.namespace),
      ],
    },
  ];
}
