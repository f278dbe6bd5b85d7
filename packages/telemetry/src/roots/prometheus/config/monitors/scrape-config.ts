import { constant } from '../../../../relabel/rule.ts';
import type { HTTPSDConfig, ScrapeConfig, ScrapeConfigSpec } from '../../../../resources/scrape-config.ts';
import { checkDuration, checkFilled, checkLabelNames, checkUrl } from '../../../../scrape/checks.ts';
import { sectionOf } from '../../../../scrape/fields/table.ts';
import { given } from '../../../../scrape/given.ts';
import { checkOneLogin, type Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { jobNameRule } from '../../../../scrape/target-rules.ts';
import { scrapeConfigFields } from '../fields/monitors.ts';
import { warnOfUnrendered } from '../fields/unrendered.ts';
import { checkProxy } from '../http.ts';
import type { PrometheusSettings, Scrape } from '../settings.ts';
import { checkTimes, classOf, enforcedNamespace, metricRules, ownRules } from './endpoint.ts';
import { discoveryClient, kubernetesSection } from './kubernetes-discovery.ts';
import { shardingRulesForOwnJob } from './sharding.ts';

/** One job, or none with a rejected leaf when nothing that is rendered finds targets for it. */
export function scrapeConfigJobs(config: ScrapeConfig, settings: PrometheusSettings, leaf: Leaf): readonly Section[] {
  const { metadata, spec } = config;
  warnOfUnrendered(spec, scrapeConfigFields, leaf);
  const { version } = settings;
  const scrape: Scrape = { settings, version, leaf, scrapeClass: classOf(spec, settings, leaf), at: 'spec' };
  const enforced = enforcedNamespace(settings, 'scrapeconfigs', metadata);
  const discovery = discoverySection(spec, scrape);
  if (Object.keys(discovery).length === 0) leaf.reject('InvalidField', 'spec', 'nothing in it finds targets');
  const own = ownRules(spec.relabelings, {
    scrape,
    field: 'spec.relabelings',
    enforced: (spec.relabelings ?? []).length > 0 ? enforced : '',
  });
  // Of this kind alone the job's name comes after the class's rules.
  const classRules = scrape.scrapeClass?.relabelings?.length ?? 0;
  checkTimes({ interval: spec.scrapeInterval, timeout: spec.scrapeTimeout }, scrape, {
    interval: 'spec.scrapeInterval',
    timeout: 'spec.scrapeTimeout',
  });
  checkProxy(spec, scrape);
  const section: Section = {
    job_name: `scrapeConfig/${metadata.namespace}/${metadata.name}`,
    ...sectionOf(spec, scrapeConfigFields, scrape),
    ...discovery,
    relabel_configs: [
      jobNameRule,
      ...own.slice(0, classRules),
      ...(spec.jobName ? [constant('job', spec.jobName)] : []),
      ...own.slice(classRules),
      ...shardingRulesForOwnJob(own, settings.sharding),
    ],
    ...given({
      metric_relabel_configs: metricRules(spec.metricRelabelings, {
        scrape,
        field: 'spec.metricRelabelings',
        enforced,
      }),
    }),
  };
  checkOneLogin(section, { leaf, at: 'spec' });
  return [section];
}

/** Older definitions do not demand targets. */
interface StaticConfig {
  readonly targets?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
}

function discoverySection(spec: ScrapeConfigSpec, scrape: Scrape): Section {
  const { leaf } = scrape;
  return given({
    static_configs: spec.staticConfigs?.map(({ targets = [], labels }: StaticConfig, index) => {
      checkLabelNames(labels, { leaf, at: `spec.staticConfigs[${index}].labels` });
      return { targets, ...given({ labels: sorted(labels) }) };
    }),
    file_sd_configs: spec.fileSDConfigs?.map(({ files, refreshInterval }, index) => {
      const at = `spec.fileSDConfigs[${index}]`;
      checkDuration(refreshInterval, { leaf, at: `${at}.refreshInterval` });
      if (files.length === 0 || !files.every((file) => discoveryFile.test(file)))
        leaf.reject(
          'InvalidField',
          `${at}.files`,
          'must name files that end in .json, .yml or .yaml, with a star in the last part of the path at most',
        );
      return { files, ...given({ refresh_interval: refreshInterval }) };
    }),
    http_sd_configs: spec.httpSDConfigs?.map((config, index) => httpDiscovery(config, scrape, index)),
    kubernetes_sd_configs: spec.kubernetesSDConfigs?.map((config, index) => kubernetesSection(config, scrape, index)),
  });
}

const discoveryFile = /^[^*]*(?:\*[^/]*)?\.(?:json|yml|yaml|JSON|YML|YAML)$/;

function httpDiscovery(config: HTTPSDConfig, scrape: Scrape, index: number): Section {
  const { leaf } = scrape;
  const at = `spec.httpSDConfigs[${index}]`;
  checkDuration(config.refreshInterval, { leaf, at: `${at}.refreshInterval` });
  checkFilled(config.url, { leaf, at: `${at}.url` });
  checkUrl(config.url, { leaf, at: `${at}.url` });
  // The text itself may hold a password.
  const read = config.url ? leaf.readings(config.url) : [];
  if (!read.every((each) => /^https?:\/\/[^/]/i.test(each)))
    leaf.reject('InvalidField', `${at}.url`, 'must begin with http:// or https://');
  const section = {
    url: config.url,
    ...given({ refresh_interval: config.refreshInterval }),
    ...discoveryClient(config, scrape, at),
  };
  checkOneLogin(section, { leaf, at });
  return section;
}

function sorted(labels: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
}
