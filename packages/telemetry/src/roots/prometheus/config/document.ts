import type { KubeObject } from '@signalbox/cluster';
import { isLabelName, type LabelNames } from '../../../relabel/problem.ts';
import type { Prometheus, PrometheusSpec } from '../../../resources/prometheus.ts';
import type { PrometheusAgent } from '../../../resources/prometheus-agent.ts';
import { checkDuration, checkLabelName, checkScrapeTimes } from '../../../scrape/checks.ts';
import { given } from '../../../scrape/given.ts';
import type { Section } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import { toYaml, type YamlText } from '../../../scrape/yaml.ts';
import { globalLimits } from './limits.ts';
import { logPath } from './log-files.ts';
import { protocolsSince, scrapeProtocols } from './scrape-protocols.ts';
import { type Place, since } from './settings.ts';
import { isAtLeast, type Version } from './version.ts';

export type PrometheusRoot = Prometheus | PrometheusAgent;

export interface Parts {
  readonly version: Version;
  readonly leaf: Leaf;
  /** In the order in which they stand in the file. */
  readonly jobs: readonly (YamlText | Section)[];
  readonly remoteWrite: readonly Section[];
}

/** The file that every shard of a root runs from; the config reloader puts each pod's own values into it. */
export function prometheusDocument(root: PrometheusRoot, parts: Parts): string {
  const { jobs, remoteWrite, ...place } = parts;
  return toYaml({
    global: globalSection(root, place),
    ...given({ runtime: runtimeSection(root, place) }),
    scrape_configs: jobs,
    ...given({ storage: storageSection(root, place), remote_write: remoteWrite }),
  });
}

/** What a root has that picks nothing at all: enough to start with, and a place to write to by hand. */
export function emptyDocument(): string {
  return '';
}

type Spot = Omit<Place, 'at'>;

function globalSection(root: PrometheusRoot, spot: Spot): Section {
  const { spec } = root;
  const { leaf } = spot;
  const fields = { interval: 'spec.scrapeInterval', timeout: 'spec.scrapeTimeout' };
  checkScrapeTimes(
    { interval: spec.scrapeInterval, timeout: spec.scrapeTimeout, defaultInterval: '30s', fields },
    leaf,
  );
  const named = spec.scrapeProtocols?.length === 0 ? undefined : spec.scrapeProtocols;
  const protocols = since(protocolsSince, named, inSpec(spot, 'scrapeProtocols'));
  return {
    scrape_interval: spec.scrapeInterval || '30s',
    ...given({
      scrape_timeout: spec.scrapeTimeout,
      scrape_protocols: protocols && scrapeProtocols(protocols, inSpec(spot, 'scrapeProtocols')),
    }),
    external_labels: externalLabels(root, leaf),
    ...globalLimits(spec, { ...spot, at: 'spec' }),
    ...given({
      scrape_failure_log_file: since('2.55', logPath(spec.scrapeFailureLogFile), inSpec(spot, 'scrapeFailureLogFile')),
    }),
    ...formatSection(root, spot),
    ...(root.kind === 'Prometheus' && evaluationSection(root.spec, spot)),
  };
}

const schemes = {
  nameValidationScheme: ['UTF8', 'Legacy'],
  nameEscapingScheme: ['AllowUTF8', 'Underscores', 'Dots', 'Values'],
} as const;

function checkSchemes(spec: PrometheusRoot['spec'], leaf: Leaf): void {
  for (const field of ['nameValidationScheme', 'nameEscapingScheme'] as const)
    if (spec[field] && !schemes[field].some((each) => each === spec[field]))
      leaf.reject('InvalidField', `spec.${field}`, `"${spec[field]}" is none of ${schemes[field].join(', ')}`);
  if (spec.nameEscapingScheme === 'AllowUTF8' && spec.nameValidationScheme === 'Legacy')
    leaf.reject(
      'InvalidField',
      'spec.nameEscapingScheme',
      'AllowUTF8 needs a nameValidationScheme that takes such names: UTF8',
    );
}

function formatSection({ spec }: PrometheusRoot, spot: Spot): Section {
  checkSchemes(spec, spot.leaf);
  const young = <T>(minimum: string, field: string, value: T | undefined): T | undefined =>
    since(minimum, value, inSpec(spot, field));
  const convert = young('3.4', 'convertClassicHistogramsToNHCB', spec.convertClassicHistogramsToNHCB);
  const classic = young('3.5', 'scrapeClassicHistograms', spec.scrapeClassicHistograms);
  const native = young('3.8', 'scrapeNativeHistograms', spec.scrapeNativeHistograms);
  const escaping = young('3.4', 'nameEscapingScheme', spec.nameEscapingScheme);
  return {
    ...given({
      metric_name_validation_scheme: young('3.0', 'nameValidationScheme', spec.nameValidationScheme)?.toLowerCase(),
      metric_name_escaping_scheme: escaping === 'AllowUTF8' ? 'allow-utf-8' : escaping?.toLowerCase(),
    }),
    ...(convert !== undefined && { convert_classic_histograms_to_nhcb: convert }),
    ...(classic !== undefined && { always_scrape_classic_histograms: classic }),
    ...(native !== undefined && { scrape_native_histograms: native }),
  };
}

function evaluationSection(spec: PrometheusSpec, spot: Spot): Section {
  const { leaf } = spot;
  checkDuration(spec.evaluationInterval, { leaf, at: 'spec.evaluationInterval' });
  checkDuration(spec.ruleQueryOffset, { leaf, at: 'spec.ruleQueryOffset' });
  return {
    evaluation_interval: spec.evaluationInterval || '30s',
    ...given({
      rule_query_offset: since('2.53', spec.ruleQueryOffset, inSpec(spot, 'ruleQueryOffset')),
      query_log_file: logPath(spec.queryLogFile),
    }),
  };
}

/**
 * What tells this Prometheus' samples from everybody else's. Each shard's replicas differ in `prometheus_replica`, and
 * there is no label for the shard: whoever wants one writes `$(SHARD)` as a value.
 */
function externalLabels({ metadata, spec }: PrometheusRoot, leaf: Leaf): Section {
  const name = spec.prometheusExternalLabelName ?? 'prometheus';
  const replica = spec.replicaExternalLabelName ?? 'prometheus_replica';
  const fixed: Readonly<Record<string, string>> = {
    ...(name !== '' && { [name]: `${metadata.namespace}/${metadata.name}` }),
    ...(replica !== '' && { [replica]: '$(POD_NAME)' }),
  };
  // Without these two the samples of several Prometheus would be taken for one's: what is there stays.
  if (name !== '') checkLabelName(name, { leaf, at: 'spec.prometheusExternalLabelName' });
  if (replica !== '') checkLabelName(replica, { leaf, at: 'spec.replicaExternalLabelName' });
  const own = Object.entries(spec.externalLabels ?? {}).filter(([label]) => isTaken(label, { fixed, leaf }));
  return Object.fromEntries([...own, ...Object.entries(fixed)].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A label that cannot be set is left out: nobody else's changes should wait for it. */
function isTaken(label: string, { fixed, leaf }: { readonly fixed: object; readonly leaf: Leaf }): boolean {
  const at = `spec.externalLabels[${label}]`;
  if (Object.hasOwn(fixed, label)) {
    leaf.warn('FieldIgnored', at, 'the operator sets this label itself');
    return false;
  }
  if (isLabelName(label, leaf.labelNames)) return true;
  leaf.warn('FieldIgnored', at, `"${label}" is no label name ${namedAs(leaf.labelNames)}: it is left out`);
  return false;
}

function namedAs(names: LabelNames): string {
  return names === 'utf8' ? 'at all' : 'of this version and its nameValidationScheme';
}

function runtimeSection({ spec }: PrometheusRoot, spot: Spot): Section {
  return given({ gogc: since('2.53', spec.runtime?.goGC, inSpec(spot, 'runtime.goGC')) });
}

function storageSection(root: PrometheusRoot, spot: Spot): Section {
  const { leaf } = spot;
  const { tsdb } = root.spec;
  checkDuration(tsdb?.outOfOrderTimeWindow, { leaf, at: 'spec.tsdb.outOfOrderTimeWindow' });
  const server = root.kind === 'Prometheus' ? root.spec : undefined;
  const windowSince = server === undefined ? '2.54' : '2.39';
  const window = since(windowSince, tsdb?.outOfOrderTimeWindow, inSpec(spot, 'tsdb.outOfOrderTimeWindow'));
  return given({
    tsdb: given({
      out_of_order_time_window: window,
      retention: server === undefined || !isAtLeast(spot.version, '3.11') ? undefined : retentionSection(server),
    }),
    exemplars: given({ max_exemplars: server?.exemplars?.maxSize }),
  });
}

function retentionSection({ retention, retentionSize }: PrometheusSpec): Section {
  const time = retention || (retentionSize ? undefined : '24h');
  return given({ time, size: retentionSize });
}

function inSpec(spot: Spot, field: string): Place {
  return { ...spot, at: `spec.${field}` };
}

export function isServer(root: KubeObject): root is Prometheus {
  return root.kind === 'Prometheus';
}
