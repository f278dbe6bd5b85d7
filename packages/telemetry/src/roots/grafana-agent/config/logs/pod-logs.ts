import { constant } from '../../../../relabel/rule.ts';
import type { PodLogs } from '../../../../resources/pod-logs.ts';
import { relabelRules } from '../../../../scrape/checks.ts';
import { kubernetesDiscovery, namespaceNames } from '../../../../scrape/discovery.ts';
import { sectionOf } from '../../../../scrape/fields/table.ts';
import type { Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { jobNameRule } from '../../../../scrape/target-rules.ts';
import { podLogsFields } from '../fields/monitors.ts';
import { warnOfUnrendered } from '../fields/unrendered.ts';
import { selectorRules } from '../monitors/selector.ts';
import { jobLabelRules, namespaceRules, placeRules, targetLabelRules } from '../monitors/target-rules.ts';
import type { LogsSettings } from '../settings.ts';
import { pathRules, warnOfPaths } from './paths.ts';

/** One job that tails the containers of the selected pods. */
export function podLogsJobs(logs: PodLogs, settings: LogsSettings, leaf: Leaf): readonly Section[] {
  const { metadata, spec } = logs;
  warnOfUnrendered(spec, podLogsFields, { leaf, at: 'spec' });
  const home = metadata.namespace ?? '';
  const { ignoreNamespaceSelectors, apiServer } = settings;
  const places = { home, namespaces: spec.namespaceSelector, ignoreNamespaceSelectors };
  const namespaces = namespaceNames(places);
  const own = relabelRules(spec.relabelings, { leaf, at: 'spec.relabelings' });
  warnOfPaths(own, { leaf, at: 'spec.relabelings', namespaces });
  return [
    {
      job_name: `podLogs/${metadata.namespace}/${metadata.name}`,
      ...sectionOf(spec, podLogsFields, { leaf, at: 'spec' }),
      kubernetes_sd_configs: [kubernetesDiscovery({ role: 'pod', ...places, apiServer })],
      relabel_configs: [
        jobNameRule,
        ...selectorRules(spec.selector, 'pod', { leaf, at: 'spec.selector' }),
        ...placeRules,
        ...targetLabelRules(spec.podTargetLabels, 'pod'),
        constant('job', `${metadata.namespace}/${metadata.name}`),
        ...jobLabelRules(spec.jobLabel, 'pod'),
        ...pathRules(own, namespaces),
        ...namespaceRules(settings, metadata.namespace),
      ],
    },
  ];
}
