import { constant, copy, type RelabelRule, shardRules } from '../../../../relabel/rule.ts';
import type { Probe, ProbeIngressTargets, Prober, ProbeStaticTargets } from '../../../../resources/probe.ts';
import { checkLabelNames, checkScrapeTimes, checkUrl, relabelRules } from '../../../../scrape/checks.ts';
import { kubernetesDiscovery } from '../../../../scrape/discovery.ts';
import { given } from '../../../../scrape/given.ts';
import { authorization, basicAuth, checkOneLogin, type Section, safeTls, tls } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { jobNameRule } from '../../../../scrape/target-rules.ts';
import { oauth2, unsupported } from '../http.ts';
import type { MetricsSettings } from '../settings.ts';
import { checkLimits, clientSwitches, limitSection, metricRules, warnOfUnsupportedLimits } from './endpoint.ts';
import { selectorRules } from './selector.ts';
import { namespaceRules } from './target-rules.ts';

/** One job, or none with a rejected leaf when there is no prober or nothing to probe. */
export function probeJobs(probe: Probe, settings: MetricsSettings, leaf: Leaf): readonly Section[] {
  const { prober, targets } = probe.spec;
  warn(probe, leaf);
  if (prober === undefined || prober.url === '') {
    leaf.reject('InvalidField', 'spec.prober.url', 'a probe needs the address of a prober');
    return [];
  }
  if (targets?.staticConfig !== undefined) return [staticJob(probe, targets.staticConfig, { prober, settings, leaf })];
  if (targets?.ingress !== undefined) return [ingressJob(probe, targets.ingress, { prober, settings, leaf })];
  leaf.reject('InvalidField', 'spec.targets', 'a probe needs targets: staticConfig or ingress');
  return [];
}

interface Scrape {
  readonly prober: Prober;
  readonly settings: MetricsSettings;
  readonly leaf: Leaf;
}

function staticJob(probe: Probe, targets: ProbeStaticTargets, scrape: Scrape): Section {
  const { namespace } = probe.metadata;
  const { leaf } = scrape;
  checkLabelNames(targets.labels, { leaf, at: 'spec.targets.staticConfig.labels' });
  return job(probe, scrape, {
    discovery: {
      static_configs: [{ targets: targets.static ?? [], labels: { ...targets.labels, namespace: namespace ?? '' } }],
    },
    rules: [
      copy('__address__', '__param_target'),
      copy('__param_target', 'instance'),
      constant('__address__', scrape.prober.url),
      ...relabelRules(targets.relabelingConfigs, { leaf, at: 'spec.targets.staticConfig.relabelingConfigs' }),
    ],
  });
}

function ingressJob(probe: Probe, targets: ProbeIngressTargets, scrape: Scrape): Section {
  const { leaf, settings } = scrape;
  return job(probe, scrape, {
    discovery: {
      kubernetes_sd_configs: [
        kubernetesDiscovery({
          role: 'ingress',
          home: probe.metadata.namespace ?? '',
          namespaces: targets.namespaceSelector,
          ignoreNamespaceSelectors: settings.ignoreNamespaceSelectors,
          apiServer: settings.apiServer,
        }),
      ],
    },
    rules: [
      ...selectorRules(targets.selector, 'ingress', { leaf, at: 'spec.targets.ingress.selector' }),
      {
        source_labels: ['__meta_kubernetes_ingress_scheme', '__address__', '__meta_kubernetes_ingress_path'],
        separator: ';',
        target_label: '__param_target',
        regex: '(.+);(.+);(.+)',
        replacement: '$1://$2$3',
        action: 'replace',
      },
      copy('__meta_kubernetes_namespace', 'namespace'),
      copy('__meta_kubernetes_ingress_name', 'ingress'),
      copy('__param_target', 'instance'),
      constant('__address__', scrape.prober.url),
      ...relabelRules(targets.relabelingConfigs, { leaf, at: 'spec.targets.ingress.relabelingConfigs' }),
    ],
  });
}

interface Targets {
  readonly discovery: Section;
  readonly rules: readonly RelabelRule[];
}

function job({ metadata, spec }: Probe, { prober, settings, leaf }: Scrape, { discovery, rules }: Targets): Section {
  checkScrapeTimes(
    {
      interval: spec.interval,
      timeout: spec.scrapeTimeout,
      defaultInterval: settings.defaultInterval,
      fields: { interval: 'spec.interval', timeout: 'spec.scrapeTimeout' },
    },
    leaf,
  );
  checkLimits(spec, leaf);
  checkUrl(prober.proxyUrl, { leaf, at: 'spec.prober.proxyUrl' });
  const section: Section = {
    job_name: `probe/${metadata.namespace}/${metadata.name}`,
    honor_timestamps: !settings.overrideHonorTimestamps,
    ...given({ scrape_interval: spec.interval, scrape_timeout: spec.scrapeTimeout }),
    metrics_path: prober.path || '/probe',
    ...given({ scheme: prober.scheme?.toLowerCase() }),
    params: {
      module: [spec.module ?? ''],
      ...Object.fromEntries((spec.params ?? []).map(({ name, values }) => [name, values ?? []])),
    },
    ...given({ proxy_url: prober.proxyUrl }),
    ...clientSwitches(spec),
    ...given({
      basic_auth: basicAuth(spec.basicAuth, leaf, { at: 'spec.basicAuth', passwordAs: 'text' }),
      authorization: authorization(spec.authorization, leaf, 'spec.authorization'),
      oauth2: oauth2(spec.oauth2, leaf, 'spec.oauth2'),
      bearer_token: leaf.secretValue(spec.bearerTokenSecret, 'spec.bearerTokenSecret'),
      tls_config: tls(safeTls(spec.tlsConfig), leaf, 'spec.tlsConfig'),
    }),
    ...limitSection(spec, settings),
    ...discovery,
    relabel_configs: [
      jobNameRule,
      ...(spec.jobName ? [constant('job', spec.jobName)] : []),
      ...rules,
      ...namespaceRules(settings, metadata.namespace),
      ...(settings.shards > 1 ? probeShardRules(settings.shards) : []),
    ],
    ...given({
      metric_relabel_configs: metricRules(spec.metricRelabelings, { settings, leaf, at: 'spec.metricRelabelings' }),
    }),
  };
  checkOneLogin(section, { leaf, at: 'spec' });
  return section;
}

/** By what is probed: `__address__` is the prober's by now, the same for all targets. */
function probeShardRules(shards: number): readonly RelabelRule[] {
  return shardRules(shards).map((rule) =>
    rule.action === 'hashmod' ? { ...rule, source_labels: ['__param_target'] } : rule,
  );
}

function warn({ spec }: Probe, leaf: Leaf): void {
  warnOfUnsupportedLimits(spec, leaf);
  for (const field of ['noProxy', 'proxyFromEnvironment', 'proxyConnectHeader'] as const)
    if (spec.prober?.[field] !== undefined) unsupported(leaf, `spec.prober.${field}`);
  if (spec.targets?.staticConfig !== undefined && spec.targets.ingress !== undefined)
    leaf.warn('FieldIgnored', 'spec.targets.ingress', 'staticConfig is set as well, and it wins');
}
