import { constant, copy, type RelabelRule } from '../../../../relabel/rule.ts';
import type { Probe, ProbeIngressTargets, Prober, ProbeStaticTargets } from '../../../../resources/probe.ts';
import { checkLabelNames, relabelRules } from '../../../../scrape/checks.ts';
import { honoredTimestamps, timeFields } from '../../../../scrape/fields/endpoint.ts';
import { sectionOf } from '../../../../scrape/fields/table.ts';
import { given } from '../../../../scrape/given.ts';
import { checkOneLogin, type Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { ingressDiscovery, probeTargets } from '../../../../scrape/probe-targets.ts';
import { jobNameRule } from '../../../../scrape/target-rules.ts';
import { placementRules } from '../../../../sharding/placement.ts';
import type { Scrape } from '../fields/endpoint.ts';
import { probeFields, probeParams, probeRequest, proberAddress } from '../fields/monitors.ts';
import { warnOfUnrendered } from '../fields/unrendered.ts';
import { proxyFields } from '../http.ts';
import type { MetricsSettings } from '../settings.ts';
import { checkTimes, metricRules } from './endpoint.ts';
import { selectorRules } from './selector.ts';
import { namespaceRules } from './target-rules.ts';

/** One job, or none with a rejected leaf when there is no prober or nothing to probe. */
export function probeJobs(probe: Probe, settings: MetricsSettings, leaf: Leaf): readonly Section[] {
  const { prober } = probe.spec;
  warnOfUnrendered(probe.spec, probeFields, { leaf, at: 'spec' });
  if (prober === undefined || prober.url === '') {
    leaf.reject('InvalidField', 'spec.prober.url', 'a probe needs the address of a prober');
    return [];
  }
  const chosen = probeTargets(probe, leaf);
  if (chosen === undefined) return [];
  const scrape = { prober, settings, leaf, at: 'spec' };
  return [
    chosen.by === 'static' ? staticJob(probe, chosen.targets, scrape) : ingressJob(probe, chosen.targets, scrape),
  ];
}

interface ProbeScrape extends Scrape {
  readonly prober: Prober;
}

function staticJob(probe: Probe, targets: ProbeStaticTargets, scrape: ProbeScrape): Section {
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

function ingressJob(probe: Probe, targets: ProbeIngressTargets, scrape: ProbeScrape): Section {
  const { leaf, settings } = scrape;
  return job(probe, scrape, {
    discovery: ingressDiscovery(probe, targets, settings),
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

function job({ metadata, spec }: Probe, scrape: ProbeScrape, { discovery, rules }: Targets): Section {
  const { prober, settings, leaf } = scrape;
  const ofProber = { ...scrape, at: 'spec.prober' };
  checkTimes(spec, scrape);
  const section: Section = {
    job_name: `probe/${metadata.namespace}/${metadata.name}`,
    honor_timestamps: honoredTimestamps(true, settings),
    ...sectionOf(spec, timeFields, scrape),
    ...sectionOf(prober, proberAddress, ofProber),
    ...sectionOf(spec, probeParams, scrape),
    ...sectionOf(prober, proxyFields, ofProber),
    ...sectionOf(spec, probeRequest, scrape),
    ...discovery,
    relabel_configs: [
      jobNameRule,
      ...(spec.jobName ? [constant('job', spec.jobName)] : []),
      ...rules,
      ...namespaceRules(settings, metadata.namespace),
      // By what is probed: `__address__` is the prober's by now, the same for all targets.
      ...(settings.shards > 1
        ? placementRules(settings.placement, { source: '__param_target', takesWishes: false })
        : []),
    ],
    ...given({
      metric_relabel_configs: metricRules(spec.metricRelabelings, { ...scrape, at: 'spec.metricRelabelings' }),
    }),
  };
  checkOneLogin(section, { leaf, at: 'spec' });
  return section;
}
