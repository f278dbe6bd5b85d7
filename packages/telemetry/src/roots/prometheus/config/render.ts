import type { KubeObject } from '@signalbox/cluster';
import { collectedByHand } from '../../../scrape/additional.ts';
import { type CollectedJobs, collectedBy } from '../../../scrape/collected.ts';
import {
  type JobCache,
  type JobOptions,
  notingVault,
  type RenderedJobs,
  type SourceVault,
} from '../../../scrape/jobs.ts';
import { createLeaf, type Leaf } from '../../../scrape/leaf.ts';
import type { Finding } from '../../../world/findings.ts';
import { byReferenceId, type KeyReference, referenceId } from '../../../world/references.ts';
import type { PrometheusHierarchy } from '../discover.ts';
import { additionalSections } from './additional.ts';
import { apiServerSection, renderedClasses } from './classes.ts';
import { fieldsOf, isServer, type PrometheusRoot, prometheusDocument } from './document.ts';
import { sheetOf } from './fields/sheets.ts';
import { warnOfUnrendered } from './fields/unrendered.ts';
import { podMonitorJobs } from './monitors/pod-monitor.ts';
import { probeJobs } from './monitors/probe.ts';
import { scrapeConfigJobs } from './monitors/scrape-config.ts';
import { serviceMonitorJobs } from './monitors/service-monitor.ts';
import { remoteWriteSections } from './remote-write.ts';
import { type EnforcedLimits, type PrometheusSettings, prometheusSettings, type Sharding } from './settings.ts';
import { labelNamesOf, type Version } from './version.ts';

export interface RenderedPrometheus {
  /** The text in pieces. Undefined: something that all of it depends on is wrong, so the last good one stays. */
  readonly document: readonly string[] | undefined;
  /** What the configuration reads as files: the TLS assets. Sorted, once each. */
  readonly files: readonly KeyReference[];
  readonly collected: readonly CollectedJobs[];
  /** Of the Secret in which somebody wrote jobs. Made when somebody asks. */
  readonly additional: () => readonly CollectedJobs[];
  readonly findings: readonly Finding[];
}

interface Tools {
  readonly version: Version;
  readonly vault: SourceVault;
  readonly cache: JobCache;
  readonly sharing: Pick<Sharding, 'placement' | 'shards'>;
}

/** The configuration of one root. A monitor that is wrong is left out and reported; the others never notice. */
export function renderPrometheus(
  root: PrometheusRoot,
  hierarchy: PrometheusHierarchy,
  { version, vault, cache, sharing }: Tools,
): RenderedPrometheus {
  const noting = notingVault(vault);
  const labelNames = labelNamesOf(version, root.spec.nameValidationScheme);
  const leaf = createLeaf(root, noting.vault, { missingFile: 'reject', expansion: 'any of the reloader', labelNames });
  warnOfUnrendered(root.spec, fieldsOf(root), leaf);
  const settings = settingsOf(root, { leaf, version, sharing });
  const jobs = monitorJobs(hierarchy, { settings, vault, cache });
  const all = Object.values(jobs).flat();
  const extra = createLeaf(root, noting.vault, { missingFile: 'reject', expansion: 'any of the reloader', labelNames });
  const additional = additionalSections(root.spec.additionalScrapeConfigs, {
    leaf: extra,
    taken: () => all.flatMap(({ names }) => names),
    sharding: settings.sharding,
  });
  const remoteWrite = remoteWriteSections(root.spec.remoteWrite, { version, leaf });
  const { serviceMonitors, podMonitors, probes, scrapeConfigs } = jobs;
  const byHand = additional.map(({ section }) => section);
  const texts = isServer(root)
    ? [...[serviceMonitors, podMonitors, probes, scrapeConfigs].flatMap(textsOf), ...byHand]
    : [...textsOf(podMonitors), ...byHand, ...[serviceMonitors, probes, scrapeConfigs].flatMap(textsOf)];
  const document = prometheusDocument(root, { version, leaf, enforced: settings.enforced, jobs: texts, remoteWrite });
  return {
    document: leaf.isRejected || extra.isRejected ? undefined : document,
    files: unique([
      ...noting
        .uses()
        .filter(({ isFile }) => isFile)
        .map(({ reference }) => reference),
      ...all.flatMap(({ files }) => files),
    ]),
    collected: [
      ...collectedBy(root, hierarchy.serviceMonitors, serviceMonitors),
      ...collectedBy(root, hierarchy.podMonitors, podMonitors),
      ...collectedBy(root, hierarchy.probes, probes),
      ...collectedBy(root, hierarchy.scrapeConfigs, scrapeConfigs),
    ],
    additional: () =>
      collectedByHand(additional, { by: root, selector: root.spec.additionalScrapeConfigs, leaf: extra }),
    findings: [...leaf.findings, ...extra.findings, ...all.flatMap(({ findings }) => findings)],
  };
}

function settingsOf(
  root: PrometheusRoot,
  { sharing, ...at }: { readonly leaf: Leaf; readonly version: Version } & Pick<Tools, 'sharing'>,
): PrometheusSettings {
  return prometheusSettings(root.spec, {
    version: at.version,
    sharding: {
      ...sharing,
      isServer: isServer(root),
      retains: isServer(root) && root.spec.shardRetentionPolicy?.whenScaled === 'Retain',
    },
    enforced: sheetOf(
      root.spec,
      { fields: fieldsOf(root), sheet: 'enforced' },
      { ...at, at: 'spec' },
    ) as EnforcedLimits,
    classes: renderedClasses(root.spec, at),
    apiServer: apiServerSection(root.spec.apiserverConfig, at),
  });
}

interface Jobs {
  readonly serviceMonitors: readonly RenderedJobs[];
  readonly podMonitors: readonly RenderedJobs[];
  readonly probes: readonly RenderedJobs[];
  readonly scrapeConfigs: readonly RenderedJobs[];
}

function monitorJobs(
  { serviceMonitors, podMonitors, probes, scrapeConfigs }: PrometheusHierarchy,
  {
    settings,
    vault,
    cache,
  }: { readonly settings: PrometheusSettings; readonly vault: SourceVault; readonly cache: JobCache },
): Jobs {
  const tools = { settings, vault, labelNames: settings.labelNames };
  const jobsOfAll = <T extends KubeObject>(
    monitors: readonly T[],
    options: JobOptions<T, PrometheusSettings>,
  ): readonly RenderedJobs[] => monitors.map((monitor) => cache.jobsOf(monitor, options));
  return {
    serviceMonitors: jobsOfAll(serviceMonitors, { ...tools, render: serviceMonitorJobs }),
    podMonitors: jobsOfAll(podMonitors, { ...tools, render: podMonitorJobs }),
    probes: jobsOfAll(probes, { ...tools, render: probeJobs }),
    scrapeConfigs: jobsOfAll(scrapeConfigs, { ...tools, render: scrapeConfigJobs }),
  };
}

function textsOf(jobs: readonly RenderedJobs[]): RenderedJobs['texts'] {
  return jobs.flatMap(({ texts }) => texts);
}

function unique(references: readonly KeyReference[]): readonly KeyReference[] {
  return [...new Map(references.map((each) => [referenceId(each), each])).values()].sort(byReferenceId);
}
