import { constant } from '../../relabel/rule.ts';
import type { PodLogs } from '../../resources/pod-logs.ts';
import { relabelRules } from '../checks.ts';
import { kubernetesDiscovery } from '../discovery.ts';
import { given } from '../given.ts';
import type { Section } from '../http.ts';
import type { Leaf } from '../leaf.ts';
import { jobNameRule } from '../target-rules.ts';
import { selectorRules } from './selector.ts';
import type { LogsSettings } from './settings.ts';
import { pipelineStages } from './stages.ts';
import { jobLabelRules, namespaceRules, placeRules, targetLabelRules } from './target-rules.ts';

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
        jobNameRule,
        ...selectorRules(spec.selector, 'pod', { leaf, at: 'spec.selector' }),
        ...placeRules,
        ...targetLabelRules(spec.podTargetLabels, 'pod'),
        constant('job', `${metadata.namespace}/${metadata.name}`),
        ...jobLabelRules(spec.jobLabel, 'pod'),
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
