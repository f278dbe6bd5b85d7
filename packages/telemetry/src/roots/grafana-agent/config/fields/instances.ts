import type { IntegrationSpec } from '../../../../resources/integration.ts';
import type { LogsInstanceSpec } from '../../../../resources/logs-instance.ts';
import type { MetricsInstanceSpec } from '../../../../resources/metrics-instance.ts';
import { checkGoDuration } from '../../../../scrape/checks.ts';
import { each, type Fields } from '../../../../scrape/fields/table.ts';

/**
 * What becomes of every field of instances and integrations. The order is that of the lines. What they send to, what they
 * collect, and the jobs in the agent's own words are made by code, each with a judgement of its own about who wrote them.
 */

export const metricsInstanceFields: Fields<MetricsInstanceSpec> = {
  walTruncateFrequency: { as: 'wal_truncate_frequency', check: checkGoDuration },
  minWALTime: { as: 'min_wal_time', check: checkGoDuration },
  maxWALTime: { as: 'max_wal_time', check: checkGoDuration },
  remoteFlushDeadline: { as: 'remote_flush_deadline', check: checkGoDuration },
  writeStaleOnShutdown: { as: 'write_stale_on_shutdown' },
  ...each(
    'elsewhere',
    'additionalScrapeConfigs',
    'podMonitorNamespaceSelector',
    'podMonitorSelector',
    'probeNamespaceSelector',
    'probeSelector',
    'remoteWrite',
    'serviceMonitorNamespaceSelector',
    'serviceMonitorSelector',
  ),
};

export const logsInstanceFields: Fields<LogsInstanceSpec> = {
  targetConfig: { as: 'target_config', members: { syncPeriod: { as: 'sync_period', check: checkGoDuration } } },
  ...each('elsewhere', 'additionalScrapeConfigs', 'clients', 'podLogsNamespaceSelector', 'podLogsSelector'),
};

/** An integration's configuration is its own, and stands as it is under its name. */
export const integrationFields: Fields<IntegrationSpec> = {
  type: { members: each('elsewhere', 'allNodes', 'unique') },
  ...each('elsewhere', 'config', 'configMaps', 'name', 'secrets', 'volumeMounts', 'volumes'),
};
