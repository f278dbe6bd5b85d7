import type { GrafanaAgent } from '../../../resources/grafana-agent.ts';
import type { Integration } from '../../../resources/integration.ts';
import { given } from '../../../scrape/given.ts';
import type { Section } from '../../../scrape/http.ts';
import { toYaml } from '../../../scrape/yaml.ts';
import { clusterLabel } from './cluster-label.ts';

/** The files that the agents run from (`agent.yml` of static mode), put together from rendered parts. */

/** Where the agents keep their write-ahead log and their positions. */
export const dataFolder = '/var/lib/grafana-agent/data';

export interface MetricsParts {
  /** In the order of their names. */
  readonly instances: readonly Section[];
  /** Where samples of instances without a remote of their own go. */
  readonly remoteWrite: readonly Section[];
}

export interface LogsParts {
  readonly instances: readonly Section[];
}

export function metricsDocument(root: GrafanaAgent, parts: MetricsParts): string {
  return toYaml({ server: serverSection(root), metrics: metricsSection(root, parts, { withReplica: true }) });
}

export function logsDocument(root: GrafanaAgent, parts: LogsParts): string {
  return toYaml({ server: serverSection(root), logs: logsSection(parts) });
}

/** Integrations of one name always stand in a list, so that a second one changes nothing for the first. */
export function integrationsDocument(
  root: GrafanaAgent,
  parts: { readonly metrics: MetricsParts; readonly logs: LogsParts; readonly integrations: readonly Integration[] },
): string {
  const byName = new Map<string, unknown[]>();
  for (const { spec } of parts.integrations)
    byName.set(`${spec.name}_configs`, [...(byName.get(`${spec.name}_configs`) ?? []), spec.config]);
  return toYaml({
    server: serverSection(root),
    metrics: metricsSection(root, parts.metrics, { withReplica: false }),
    logs: logsSection(parts.logs),
    integrations: { metrics: { autoscrape: { enable: false } }, ...Object.fromEntries(byName) },
  });
}

function serverSection({ spec }: GrafanaAgent): Section {
  return given({ log_level: spec.logLevel, log_format: spec.logFormat });
}

function metricsSection(
  root: GrafanaAgent,
  { instances, remoteWrite }: MetricsParts,
  { withReplica }: { readonly withReplica: boolean },
): Section {
  const metrics = root.spec.metrics ?? {};
  return {
    wal_directory: dataFolder,
    global: given({
      external_labels: externalLabels(root, { withReplica }),
      scrape_interval: metrics.scrapeInterval,
      scrape_timeout: metrics.scrapeTimeout,
      remote_write: remoteWrite,
    }),
    configs: instances,
  };
}

function logsSection({ instances }: LogsParts): Section {
  return { positions_directory: dataFolder, configs: instances };
}

/** The user may override the name of the deployment, never the replica's: the receiver tells duplicates apart by it. */
function externalLabels(root: GrafanaAgent, { withReplica }: { readonly withReplica: boolean }): Section {
  const { metricsExternalLabelName, externalLabels: own, replicaExternalLabelName } = root.spec.metrics ?? {};
  const replica = replicaExternalLabelName ?? '__replica__';
  return {
    ...clusterLabel(root, metricsExternalLabelName),
    ...own,
    ...(withReplica && replica !== '' && { [replica]: 'replica-$(STATEFULSET_ORDINAL_NUMBER)' }),
  };
}
