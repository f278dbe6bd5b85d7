import { constant } from '../../../../relabel/rule.ts';
import type { HTTPSDConfig, ScrapeConfig, ScrapeConfigSpec } from '../../../../resources/scrape-config.ts';
import { checkDuration, checkFilled, checkLabelNames, checkUrl } from '../../../../scrape/checks.ts';
import { given } from '../../../../scrape/given.ts';
import { basicAuth, checkOneLogin, type Section, safeTls } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { jobNameRule } from '../../../../scrape/target-rules.ts';
import { checkedTls, oauth2, proxySection } from '../http.ts';
import { limitSection } from '../limits.ts';
import { scrapeConfigFields } from '../rendered-fields.ts';
import { type Place, type PrometheusSettings, since } from '../settings.ts';
import { warnOfUnrendered } from '../unrendered.ts';
import {
  checkTimes,
  classOf,
  enforcedNamespace,
  formatSection,
  honoredTimestamps,
  mergedAuthorization,
  mergedTls,
  metricRules,
  ownRules,
  type Scrape,
} from './endpoint.ts';
import { discoveryClient, kubernetesSection } from './kubernetes-discovery.ts';
import { shardingRulesForOwnJob } from './sharding.ts';

/** One job, or none with a rejected leaf when nothing that is rendered finds targets for it. */
export function scrapeConfigJobs(config: ScrapeConfig, settings: PrometheusSettings, leaf: Leaf): readonly Section[] {
  const { metadata, spec } = config;
  warnOfUnrendered(spec, scrapeConfigFields, leaf);
  const scrape: Scrape = { settings, leaf, scrapeClass: classOf(spec, settings, leaf), at: 'spec' };
  const enforced = enforcedNamespace(settings, 'scrapeconfigs', metadata);
  const discovery = discoverySection(spec, scrape);
  if (Object.keys(discovery).length === 0) leaf.reject('InvalidField', 'spec', 'nothing in it finds targets');
  const own = ownRules(spec.relabelings, {
    scrape,
    field: 'spec.relabelings',
    enforced: (spec.relabelings ?? []).length > 0 ? enforced : '',
  });
  // Of this kind alone the job's name comes after the class's rules.
  const classRules = scrape.scrapeClass?.relabelings.length ?? 0;
  const section: Section = {
    job_name: `scrapeConfig/${metadata.namespace}/${metadata.name}`,
    ...scrapeSection(spec, scrape),
    ...limitSection(spec, settings, { version: settings.version, leaf, at: 'spec' }),
    ...formatSection(spec, scrape),
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

function scrapeSection(spec: ScrapeConfigSpec, scrape: Scrape): Section {
  const { settings, leaf, scrapeClass } = scrape;
  const place = (field: string): Place => ({ version: settings.version, leaf, at: `spec.${field}` });
  checkTimes({ interval: spec.scrapeInterval, timeout: spec.scrapeTimeout }, scrape, {
    interval: 'spec.scrapeInterval',
    timeout: 'spec.scrapeTimeout',
  });
  const honored = honoredTimestamps(spec.honorTimestamps, settings);
  const staleness = since('2.48', spec.trackTimestampsStaleness, place('trackTimestampsStaleness'));
  const compression = since('2.49', spec.enableCompression, place('enableCompression'));
  const logins = {
    basic_auth: basicAuth(spec.basicAuth, leaf, { at: 'spec.basicAuth', passwordAs: 'text' }),
    oauth2: oauth2(spec.oauth2, place('oauth2')),
  };
  return {
    ...(spec.honorLabels !== undefined && { honor_labels: settings.overrideHonorLabels ? false : spec.honorLabels }),
    ...(honored !== undefined && { honor_timestamps: honored }),
    ...(staleness !== undefined && { track_timestamps_staleness: staleness }),
    ...given({
      scrape_interval: spec.scrapeInterval,
      scrape_timeout: spec.scrapeTimeout,
      metrics_path: spec.metricsPath,
      scheme: spec.scheme?.toLowerCase(),
      ...proxySection(spec, { version: settings.version, leaf, at: 'spec' }),
      params: spec.params,
    }),
    ...(compression !== undefined && { enable_compression: compression }),
    ...(spec.enableHTTP2 !== undefined && { enable_http2: spec.enableHTTP2 }),
    ...given({
      ...logins,
      authorization: mergedAuthorization(spec.authorization, {
        leaf,
        at: 'spec.authorization',
        scrapeClass,
        isAlone: Object.values(logins).every((login) => login === undefined),
      }),
      tls_config: mergedTls(checkedTls(safeTls(spec.tlsConfig), leaf, 'spec.tlsConfig'), scrapeClass),
    }),
  };
}

function discoverySection(spec: ScrapeConfigSpec, scrape: Scrape): Section {
  const { leaf } = scrape;
  return given({
    static_configs: spec.staticConfigs?.map((config, index) => {
      // Older definitions do not demand them.
      const { targets = [], labels }: Partial<typeof config> = config;
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
