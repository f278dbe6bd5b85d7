import { constant, copy, type RelabelRule } from '../../../../relabel/rule.ts';
import type { RelabelConfig } from '../../../../resources/fields.ts';
import type { Probe, ProbeIngressTargets, Prober, ProbeStaticTargets } from '../../../../resources/probe.ts';
import { checkLabelNames } from '../../../../scrape/checks.ts';
import { honoredTimestamps, schemeLine, timeFields } from '../../../../scrape/fields/endpoint.ts';
import { sectionOf } from '../../../../scrape/fields/table.ts';
import { given } from '../../../../scrape/given.ts';
import { checkOneLogin, type Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { ingressDiscovery, probeTargets } from '../../../../scrape/probe-targets.ts';
import { jobNameRule } from '../../../../scrape/target-rules.ts';
import { probeFields, probeParams, probeRequest, proberAddress } from '../fields/monitors.ts';
import { warnOfUnrendered } from '../fields/unrendered.ts';
import { checkProxy, proxyFields } from '../http.ts';
import type { PrometheusSettings, Scrape } from '../settings.ts';
import { checkTimes, classOf, enforcedNamespace, metricRules, ownRules } from './endpoint.ts';
import { selectorRules } from './selector.ts';
import { shardingRules } from './sharding.ts';

/** One job, or none with a rejected leaf when there is no prober or nothing to probe. */
export function probeJobs(probe: Probe, settings: PrometheusSettings, leaf: Leaf): readonly Section[] {
  const { prober } = probe.spec;
  warnOfUnrendered(probe.spec, probeFields, leaf);
  if (prober === undefined || !isHost(prober.url)) {
    leaf.reject('InvalidField', 'spec.prober.url', 'a probe needs the address of a prober: host or host:port');
    return [];
  }
  const { version } = settings;
  const scrape = { settings, version, leaf, scrapeClass: classOf(probe.spec, settings, leaf), at: 'spec', prober };
  const chosen = probeTargets(probe, leaf);
  if (chosen === undefined) return [];
  return [
    chosen.by === 'static' ? staticJob(probe, chosen.targets, scrape) : ingressJob(probe, chosen.targets, scrape),
  ];
}

interface ProbeScrape extends Scrape {
  readonly prober: Prober;
}

function staticJob(probe: Probe, targets: ProbeStaticTargets, scrape: ProbeScrape): Section {
  const { leaf, prober } = scrape;
  const at = 'spec.targets.staticConfig';
  checkLabelNames(targets.labels, { leaf, at: `${at}.labels` });
  if ((targets.static ?? []).length === 0) leaf.reject('InvalidField', `${at}.static`, 'names nothing to probe');
  return job(probe, scrape, {
    discovery: {
      static_configs: [
        { targets: targets.static ?? [], labels: { namespace: probe.metadata.namespace ?? '', ...targets.labels } },
      ],
    },
    rules: [
      copy('__address__', '__param_target'),
      copy('__param_target', 'instance'),
      constant('__address__', prober.url),
    ],
    own: { configs: targets.relabelingConfigs, field: `${at}.relabelingConfigs` },
  });
}

function ingressJob(probe: Probe, targets: ProbeIngressTargets, scrape: ProbeScrape): Section {
  const { leaf, settings, prober } = scrape;
  const at = 'spec.targets.ingress';
  return job(probe, scrape, {
    discovery: ingressDiscovery(probe, targets, settings),
    rules: [
      ...selectorRules(targets.selector, 'ingress', { leaf, at: `${at}.selector` }),
      {
        source_labels: ['__meta_kubernetes_ingress_scheme', '__address__', '__meta_kubernetes_ingress_path'],
        separator: ';',
        target_label: '__param_target',
        regex: '(.+);(.+);(.+)',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the replacement of a relabelling rule.
        replacement: '${1}://${2}${3}',
        action: 'replace',
      },
      copy('__meta_kubernetes_namespace', 'namespace'),
      copy('__meta_kubernetes_ingress_name', 'ingress'),
      {
        source_labels: ['__address__'],
        separator: ';',
        target_label: '__tmp_ingress_address',
        regex: '(.*)',
        replacement: '$1',
        action: 'replace',
      },
      copy('__param_target', 'instance'),
      constant('__address__', prober.url),
    ],
    own: { configs: targets.relabelingConfigs, field: `${at}.relabelingConfigs` },
  });
}

interface Targets {
  readonly discovery: Section;
  readonly rules: readonly RelabelRule[];
  /** The probe's own rules. */
  readonly own: { readonly configs: readonly RelabelConfig[] | undefined; readonly field: string };
}

function job({ metadata, spec }: Probe, scrape: ProbeScrape, { discovery, rules, own }: Targets): Section {
  const { prober, settings, leaf } = scrape;
  const enforced = enforcedNamespace(settings, 'probes', metadata);
  checkTimes({ interval: spec.interval, timeout: spec.scrapeTimeout }, scrape, {
    interval: 'spec.interval',
    timeout: 'spec.scrapeTimeout',
  });
  const ofProber = { ...scrape, at: 'spec.prober' };
  checkProxy(prober, ofProber);
  const section: Section = {
    job_name: `probe/${metadata.namespace}/${metadata.name}`,
    honor_timestamps: honoredTimestamps(true, settings),
    ...sectionOf(prober, proberAddress, ofProber),
    ...sectionOf(spec, timeFields, scrape),
    ...sectionOf(prober, { scheme: schemeLine }, ofProber),
    ...sectionOf(spec, probeParams, scrape),
    ...sectionOf(prober, proxyFields, ofProber),
    ...sectionOf(spec, probeRequest, scrape),
    ...discovery,
    relabel_configs: [
      jobNameRule,
      ...(spec.jobName ? [constant('job', spec.jobName)] : []),
      ...rules,
      ...ownRules(own.configs, { scrape, field: own.field, enforced }),
      // By what is probed: `__address__` is the prober's by now, the same for all targets.
      ...shardingRules('__param_target', settings.sharding),
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
  return section;
}

/** `host` or `host:port`; the scheme and the path have fields of their own. */
function isHost(text: string): boolean {
  return text !== '' && !/[\s/?#@]/.test(text) && URL.canParse(`http://${text}`);
}
