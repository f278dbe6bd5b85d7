import type { GrafanaAgent } from '../../../resources/grafana-agent.ts';
import { additionalJobs, collectedByHand, writtenJobs } from '../../../scrape/additional.ts';
import { type CollectedJobs, collectedBy } from '../../../scrape/collected.ts';
import { sectionOf } from '../../../scrape/fields/table.ts';
import { given } from '../../../scrape/given.ts';
import type { Section } from '../../../scrape/http.ts';
import type { JobCache, RenderedJobs, SourceVault } from '../../../scrape/jobs.ts';
import { createLeaf } from '../../../scrape/leaf.ts';
import type { YamlText } from '../../../scrape/yaml.ts';
import type { Finding } from '../../../world/findings.ts';
import type { LogsBranch, MetricsBranch } from '../discover.ts';
import { logsInstanceFields, metricsInstanceFields } from './fields/instances.ts';
import { warnOfUnrendered } from './fields/unrendered.ts';
import { denyFilesOf, namedFile } from './files.ts';
import { logsClientSection } from './logs/client.ts';
import { podLogsJobs } from './logs/pod-logs.ts';
import { podMonitorJobs } from './monitors/pod-monitor.ts';
import { probeJobs } from './monitors/probe.ts';
import { serviceMonitorJobs } from './monitors/service-monitor.ts';
import { checkNames, remoteWriteSection } from './remote-write.ts';
import type { LogsSettings, MetricsSettings } from './settings.ts';
import { tenantLogJobs } from './tenant-jobs.ts';
import { expansionIn, isTenants } from './variables.ts';

export interface RenderedInstance {
  /** Undefined: the instance was left out; the findings say why. */
  readonly section: Section | undefined;
  /** The instance without anything that it collects: what pods that run only integrations need of it. */
  readonly bare: Section | undefined;
  readonly collected: readonly CollectedJobs[];
  readonly additional: () => readonly CollectedJobs[];
  readonly findings: readonly Finding[];
}

interface Tools<Settings> {
  readonly root: GrafanaAgent;
  readonly settings: Settings;
  readonly vault: SourceVault;
  readonly cache: JobCache;
}

export function metricsInstance(branch: MetricsBranch, tools: Tools<MetricsSettings>): RenderedInstance {
  const { instance, serviceMonitors, podMonitors, probes } = branch;
  const { root, settings, vault, cache } = tools;
  const spec = instance.spec ?? {};
  const options = { missingFile: 'warn', expansion: expansionIn(root, instance, settings.expansion) } as const;
  const leaf = createLeaf(instance, vault, options);
  warnOfUnrendered(spec, metricsInstanceFields, { leaf, at: 'spec' });
  const remotes = (spec.remoteWrite ?? []).map((remote, index) =>
    remoteWriteSection(remote, leaf, `spec.remoteWrite[${index}]`),
  );
  const isDenied = settings.denyFileAccess && isTenants(root, instance);
  if (isDenied) denyFilesOf(spec.remoteWrite, { leaf, at: 'spec.remoteWrite' });
  checkNames(spec.remoteWrite ?? [], leaf, 'spec.remoteWrite');
  const lines = sectionOf(spec, metricsInstanceFields, { leaf, at: 'spec' });
  const monitors = [
    ...serviceMonitors.map((monitor) => cache.jobsOf(monitor, { settings, vault, render: serviceMonitorJobs })),
    ...podMonitors.map((monitor) => cache.jobsOf(monitor, { settings, vault, render: podMonitorJobs })),
    ...probes.map((probe) => cache.jobsOf(probe, { settings, vault, render: probeJobs })),
  ];
  const collected = collectedBy(instance, [...serviceMonitors, ...podMonitors, ...probes], monitors);
  const extra = createLeaf(instance, vault, options);
  const problemOf = isDenied ? namedFile : undefined;
  const selector = spec.additionalScrapeConfigs;
  const additional = writtenJobs(additionalJobs(selector, extra, () => namesOf(monitors), problemOf));
  const bare = {
    name: `${instance.metadata.namespace}/${instance.metadata.name}`,
    ...leaf.settle({ ...lines, ...given({ remote_write: remotes }) }),
  };
  const jobs = [...textsOf(monitors), ...extra.settle(additional.map(({ section }) => section))];
  return {
    ...(leaf.isRejected
      ? { section: undefined, bare: undefined }
      : { section: { ...bare, ...given({ scrape_configs: jobs }) }, bare }),
    collected,
    additional: () => (leaf.isRejected ? [] : collectedByHand(additional, { by: instance, selector, leaf: extra })),
    findings: [...leaf.findings, ...extra.findings, ...monitors.flatMap(({ findings }) => findings)],
  };
}

export function logsInstance(
  branch: LogsBranch,
  tools: Tools<LogsSettings> & { readonly rootClients: readonly Section[] },
): RenderedInstance {
  const { instance, podLogs } = branch;
  const { root, settings, vault, cache, rootClients } = tools;
  const spec = instance.spec ?? {};
  const options = { missingFile: 'warn', expansion: expansionIn(root, instance, settings.expansion) } as const;
  const leaf = createLeaf(instance, vault, options);
  warnOfUnrendered(spec, logsInstanceFields, { leaf, at: 'spec' });
  const own = (spec.clients ?? []).map((client, index) =>
    logsClientSection(client, root, { leaf, at: `spec.clients[${index}]` }),
  );
  const isForeign = isTenants(root, instance);
  if (isForeign && settings.denyFileAccess) denyFilesOf(spec.clients, { leaf, at: 'spec.clients' });
  const lines = sectionOf(spec, logsInstanceFields, { leaf, at: 'spec' });
  const monitors = podLogs.map((logs) => cache.jobsOf(logs, { settings, vault, render: podLogsJobs }));
  const extra = createLeaf(instance, vault, options);
  const tenants = isForeign ? tenantLogJobs(extra, settings) : undefined;
  const taken = (): readonly string[] => namesOf(monitors);
  const selector = spec.additionalScrapeConfigs;
  const additional = writtenJobs(additionalJobs(selector, extra, taken, tenants?.problemOf), tenants?.confined);
  const bare = {
    name: `${instance.metadata.namespace}/${instance.metadata.name}`,
    ...given({ clients: own.length > 0 ? leaf.settle(own) : rootClients }),
  };
  const end = leaf.settle(lines);
  const jobs = [...textsOf(monitors), ...extra.settle(additional.map(({ section }) => section))];
  return {
    ...(leaf.isRejected
      ? { section: undefined, bare: undefined }
      : { section: { ...bare, ...given({ scrape_configs: jobs }), ...end }, bare: { ...bare, ...end } }),
    collected: collectedBy(instance, podLogs, monitors),
    additional: () => (leaf.isRejected ? [] : collectedByHand(additional, { by: instance, selector, leaf: extra })),
    findings: [...leaf.findings, ...extra.findings, ...monitors.flatMap(({ findings }) => findings)],
  };
}

function namesOf(monitors: readonly RenderedJobs[]): readonly string[] {
  return monitors.flatMap(({ names }) => names);
}

function textsOf(monitors: readonly RenderedJobs[]): readonly YamlText[] {
  return monitors.flatMap(({ texts }) => texts);
}
