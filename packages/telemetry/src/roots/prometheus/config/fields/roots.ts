import type { PrometheusSpec } from '../../../../resources/prometheus.ts';
import type { PrometheusAgentSpec } from '../../../../resources/prometheus-agent.ts';
import type { CommonPrometheusSpec } from '../../../../resources/prometheus-fields.ts';
import { each } from '../../../../scrape/fields/table.ts';
import { apiServerFields, classFields } from './classes.ts';
import { enforcedFields, evaluationFields, formatFields, limitedFields, scrapeFields } from './configured.ts';
import { podFields, workloadFields } from './pods.ts';
import type { RootFields } from './sheets.ts';
import { agentCommandFields, commandFields, serverCommandFields } from './started.ts';

/** What the configuration and the workloads of roots are made from. */

const common: RootFields<Omit<CommonPrometheusSpec, 'runtime' | 'tsdb' | 'walCompression'>> = {
  ...scrapeFields,
  ...enforcedFields,
  ...limitedFields,
  ...formatFields,
  ...commandFields,
  ...workloadFields,
  ...podFields,
  ...each(
    'elsewhere',
    'additionalArgs',
    'additionalScrapeConfigs',
    'arbitraryFSAccessThroughSMs',
    'configMaps',
    'containers',
    'enforcedNamespaceLabel',
    'excludedFromEnforcement',
    'ignoreNamespaceSelectors',
    'image',
    'imagePullPolicy',
    'initContainers',
    'maximumStartupDurationSeconds',
    'overrideHonorLabels',
    'overrideHonorTimestamps',
    'paused',
    'persistentVolumeClaimRetentionPolicy',
    'podMonitorNamespaceSelector',
    'podMonitorSelector',
    'podTargetLabels',
    'portName',
    'probeNamespaceSelector',
    'probeSelector',
    'replicas',
    'resources',
    'scrapeConfigNamespaceSelector',
    'scrapeConfigSelector',
    'secrets',
    'serviceDiscoveryRole',
    'serviceMonitorNamespaceSelector',
    'serviceMonitorSelector',
    'serviceName',
    'shards',
    'storage',
    'version',
    'volumeMounts',
    'volumes',
  ),
  apiserverConfig: { members: apiServerFields },
  scrapeClasses: { members: classFields },
  podMetadata: { members: { ...each('elsewhere', 'annotations', 'labels'), name: 'no effect' } },
  shardingStrategy: { members: { mode: { only: ['Address'] }, topology: 'no effect' } },
  tracingConfig: 'no effect',
};

export const prometheusFields: RootFields<PrometheusSpec> = {
  ...common,
  ...evaluationFields,
  ...serverCommandFields,
  ...each('elsewhere', 'baseImage', 'sha', 'shardRetentionPolicy', 'tag'),
  ...each(
    'no effect',
    'additionalAlertManagerConfigs',
    'additionalAlertRelabelConfigs',
    'alerting',
    'allowOverlappingBlocks',
    'prometheusRulesExcludedFromEnforce',
    'remoteRead',
    'ruleNamespaceSelector',
    'ruleSelector',
    'thanos',
  ),
};

/** `mode: DaemonSet` is refused as a whole, elsewhere. */
export const prometheusAgentFields: RootFields<PrometheusAgentSpec> = {
  ...common,
  ...agentCommandFields,
  mode: 'elsewhere',
};
