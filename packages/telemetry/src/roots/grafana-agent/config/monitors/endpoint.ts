import { constant, type RelabelRule } from '../../../../relabel/rule.ts';
import type { MonitorLimits, NamespaceSelector, RelabelConfig, ScrapeEndpoint } from '../../../../resources/fields.ts';
import { checkScrapeTimes, checkUrl, relabelRules } from '../../../../scrape/checks.ts';
import { kubernetesDiscovery } from '../../../../scrape/discovery.ts';
import { given } from '../../../../scrape/given.ts';
import { authorization, basicAuth, checkOneLogin, type Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { checkCount, checkSize } from '../../../../scrape/sizes.ts';
import { oauth2, unsupported } from '../http.ts';
import type { MetricsSettings } from '../settings.ts';

/** The part of a scrape job that does not depend on how its targets are found. */
function endpointSection(
  endpoint: ScrapeEndpoint,
  settings: MetricsSettings,
  { leaf, at }: { readonly leaf: Leaf; readonly at: string },
): Section {
  for (const field of unsupportedEndpointFields) if (endpoint[field] !== undefined) unsupported(leaf, `${at}.${field}`);
  checkScrapeTimes(
    {
      interval: endpoint.interval,
      timeout: endpoint.scrapeTimeout,
      defaultInterval: settings.defaultInterval,
      fields: { interval: `${at}.interval`, timeout: `${at}.scrapeTimeout` },
    },
    leaf,
  );
  checkUrl(endpoint.proxyUrl, { leaf, at: `${at}.proxyUrl` });
  const honorTimestamps = honoredTimestamps(endpoint.honorTimestamps, settings);
  return {
    honor_labels: settings.overrideHonorLabels ? false : (endpoint.honorLabels ?? false),
    ...(honorTimestamps !== undefined && { honor_timestamps: honorTimestamps }),
    ...given({
      scrape_interval: endpoint.interval,
      scrape_timeout: endpoint.scrapeTimeout,
      metrics_path: endpoint.path,
      scheme: endpoint.scheme?.toLowerCase(),
      params: endpoint.params,
      proxy_url: endpoint.proxyUrl,
    }),
    ...clientSwitches(endpoint),
    ...given({
      basic_auth: basicAuth(endpoint.basicAuth, leaf, { at: `${at}.basicAuth`, passwordAs: 'text' }),
      authorization: authorization(endpoint.authorization, leaf, `${at}.authorization`),
      oauth2: oauth2(endpoint.oauth2, leaf, `${at}.oauth2`),
      bearer_token: leaf.secretValue(endpoint.bearerTokenSecret, `${at}.bearerTokenSecret`),
    }),
  };
}

/** One endpoint of a monitor on its way to a job. */
export interface Scrape<Endpoint extends ScrapeEndpoint> {
  readonly endpoint: Endpoint;
  readonly settings: MetricsSettings;
  readonly leaf: Leaf;
  /** `spec.endpoints[0]` */
  readonly at: string;
}

interface JobParts {
  readonly name: string;
  readonly role: 'endpoints' | 'pod';
  readonly spec: EndpointMonitorSpec;
  /** How the endpoint is reached, where the kinds differ. */
  readonly tls: Section;
  readonly rules: readonly RelabelRule[];
}

interface EndpointMonitorSpec extends MonitorLimits {
  readonly namespaceSelector?: NamespaceSelector;
  readonly attachMetadata?: { readonly node?: boolean };
  readonly bodySizeLimit?: string;
}

/** The job of one endpoint, the same for all kinds of monitors that have endpoints. */
export function endpointJob<Endpoint extends ScrapeEndpoint>(
  { endpoint, settings, leaf, at }: Scrape<Endpoint>,
  { name, role, spec, tls, rules }: JobParts,
): Section {
  checkLimits(spec, leaf);
  const section: Section = {
    job_name: name,
    ...endpointSection(endpoint, settings, { leaf, at }),
    ...tls,
    ...limitSection(spec, settings),
    ...given({ body_size_limit: spec.bodySizeLimit }),
    kubernetes_sd_configs: [
      kubernetesDiscovery({
        role,
        home: leaf.namespace,
        namespaces: spec.namespaceSelector,
        ignoreNamespaceSelectors: settings.ignoreNamespaceSelectors,
        apiServer: settings.apiServer,
        attachNode: spec.attachMetadata?.node ?? false,
      }),
    ],
    relabel_configs: rules,
    ...given({
      metric_relabel_configs: metricRules(endpoint.metricRelabelings, {
        settings,
        leaf,
        at: `${at}.metricRelabelings`,
      }),
    }),
  };
  checkOneLogin(section, { leaf, at });
  return section;
}

/** Both are on unless switched off. */
export function clientSwitches(from: { readonly followRedirects?: boolean; readonly enableHttp2?: boolean }): Section {
  return {
    ...(from.followRedirects !== undefined && { follow_redirects: from.followRedirects }),
    ...(from.enableHttp2 === false && { enable_http2: false }),
  };
}

/**
 * Rules after the scrape. None may name the label that holds the enforced namespace; and since there are other ways to
 * reach a label (a pattern, a map, a drop), it is set once more behind them.
 */
export function metricRules(
  rules: readonly RelabelConfig[] | undefined,
  { settings, leaf, at }: { readonly settings: MetricsSettings; readonly leaf: Leaf; readonly at: string },
): readonly RelabelRule[] {
  const { enforcedNamespaceLabel: enforced } = settings;
  const own = relabelRules(rules, { leaf, at });
  if (enforced === '') return own;
  const left = own.filter(({ target_label }) => target_label !== enforced);
  return left.every(({ action = '' }) => action === 'keep' || action === 'drop')
    ? left
    : [...left, constant(enforced, leaf.namespace)];
}

/** Younger definitions refuse most of these, those that the Agent Operator left in a cluster do not. */
export function checkLimits(spec: MonitorLimits & { readonly bodySizeLimit?: string }, leaf: Leaf): void {
  for (const field of ['labelLimit', 'labelNameLengthLimit', 'labelValueLengthLimit'] as const)
    checkCount(spec[field], { leaf, at: `spec.${field}` });
  checkSize(spec.bodySizeLimit, { leaf, at: 'spec.bodySizeLimit' });
}

export function limitSection(spec: MonitorLimits, settings: MetricsSettings): Section {
  return given({
    sample_limit: lower(spec.sampleLimit, settings.enforcedSampleLimit),
    target_limit: lower(spec.targetLimit, settings.enforcedTargetLimit),
    label_limit: spec.labelLimit,
    label_name_length_limit: spec.labelNameLengthLimit,
    label_value_length_limit: spec.labelValueLengthLimit,
  });
}

/** The definitions of the monitors are younger than the agent: these fields it does not know. */
export function warnOfUnsupportedLimits(spec: MonitorLimits, leaf: Leaf): void {
  for (const field of unsupportedLimitFields) if (spec[field] !== undefined) unsupported(leaf, `spec.${field}`);
}

const unsupportedLimitFields = [
  'keepDroppedTargets',
  'scrapeProtocols',
  'fallbackScrapeProtocol',
  'scrapeClass',
  'scrapeClassicHistograms',
  'scrapeNativeHistograms',
  'nativeHistogramBucketLimit',
  'nativeHistogramMinBucketFactor',
  'convertClassicHistogramsToNHCB',
] as const;

const unsupportedEndpointFields = [
  'trackTimestampsStaleness',
  'noProxy',
  'proxyFromEnvironment',
  'proxyConnectHeader',
] as const;

function honoredTimestamps(
  own: boolean | undefined,
  { overrideHonorTimestamps }: MetricsSettings,
): boolean | undefined {
  if (own === undefined) return overrideHonorTimestamps ? false : undefined;
  return own && !overrideHonorTimestamps;
}

/** 0 means no limit, on either side. */
function lower(own = 0, enforced = 0): number {
  if (own <= 0) return enforced;
  return enforced <= 0 || own <= enforced ? own : enforced;
}
