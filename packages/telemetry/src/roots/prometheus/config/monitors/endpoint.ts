import { parseQuantity } from '@signalbox/cluster';
import { constant, drop, type RelabelRule } from '../../../../relabel/rule.ts';
import type { Authorization, MonitorLimits, RelabelConfig, ScrapeEndpoint } from '../../../../resources/fields.ts';
import { checkScrapeTimes, relabelRules } from '../../../../scrape/checks.ts';
import { given } from '../../../../scrape/given.ts';
import { authorization, basicAuth, type Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { oauth2, proxySection } from '../http.ts';
import { checkProtocol, scrapeProtocols } from '../scrape-protocols.ts';
import { type Place, type PrometheusSettings, type RenderedClass, since } from '../settings.ts';

/** One job on its way: what it is rendered from, and where it reports. */
export interface Scrape {
  readonly settings: PrometheusSettings;
  readonly leaf: Leaf;
  readonly scrapeClass: RenderedClass | undefined;
  /** `spec.endpoints[0]` */
  readonly at: string;
}

/** How targets are scraped, whatever they are found by; without TLS settings, which differ between the kinds. */
export function endpointSection(
  endpoint: ScrapeEndpoint & { readonly bearerTokenFile?: string },
  scrape: Scrape,
): Section {
  const { settings, leaf, at, scrapeClass } = scrape;
  checkTimes({ interval: endpoint.interval, timeout: endpoint.scrapeTimeout }, scrape, {
    interval: `${at}.interval`,
    timeout: `${at}.scrapeTimeout`,
  });
  const place = (field: string): Place => ({ version: settings.version, leaf, at: `${at}.${field}` });
  const logins = {
    basic_auth: basicAuth(endpoint.basicAuth, leaf, { at: `${at}.basicAuth`, passwordAs: 'text' }),
    oauth2: oauth2(endpoint.oauth2, place('oauth2')),
    bearer_token: leaf.secretValue(endpoint.bearerTokenSecret, `${at}.bearerTokenSecret`),
    bearer_token_file: endpoint.bearerTokenFile || undefined,
  };
  return {
    honor_labels: settings.overrideHonorLabels ? false : (endpoint.honorLabels ?? false),
    ...timestamps(endpoint, scrape),
    ...given({
      scrape_interval: endpoint.interval,
      scrape_timeout: endpoint.scrapeTimeout,
      metrics_path: endpoint.path,
      ...proxySection(endpoint, { version: settings.version, leaf, at }),
      params: endpoint.params,
      scheme: endpoint.scheme?.toLowerCase(),
    }),
    ...switches(endpoint),
    ...given({
      ...logins,
      authorization: mergedAuthorization(endpoint.authorization, {
        leaf,
        at: `${at}.authorization`,
        scrapeClass,
        isAlone: Object.values(logins).every((login) => login === undefined),
      }),
    }),
  };
}

/** Both are on unless switched off. */
export function switches(from: { readonly followRedirects?: boolean; readonly enableHttp2?: boolean }): Section {
  return {
    ...(from.followRedirects !== undefined && { follow_redirects: from.followRedirects }),
    ...(from.enableHttp2 !== undefined && { enable_http2: from.enableHttp2 }),
  };
}

function timestamps(
  { honorTimestamps, trackTimestampsStaleness }: ScrapeEndpoint,
  { settings, leaf, at }: Scrape,
): Section {
  const honored = honoredTimestamps(honorTimestamps, settings);
  const staleness = since('2.48', trackTimestampsStaleness, {
    version: settings.version,
    leaf,
    at: `${at}.trackTimestampsStaleness`,
  });
  return {
    ...(honored !== undefined && { honor_timestamps: honored }),
    ...(staleness !== undefined && { track_timestamps_staleness: staleness }),
  };
}

/** Undefined: as Prometheus has it, which is to honor them. */
export function honoredTimestamps(
  own: boolean | undefined,
  { overrideHonorTimestamps }: PrometheusSettings,
): boolean | undefined {
  if (overrideHonorTimestamps) return false;
  return own;
}

export function checkTimes(
  { interval, timeout }: { readonly interval: string | undefined; readonly timeout: string | undefined },
  { settings, leaf }: Scrape,
  fields: { readonly interval: string; readonly timeout: string },
): void {
  checkScrapeTimes({ interval, timeout, defaultInterval: settings.defaultInterval, fields }, leaf);
}

/** What a monitor says about its metrics' form. */
export function formatSection(spec: MonitorLimits, { settings, leaf, scrapeClass }: Scrape): Section {
  const { version } = settings;
  const young = <T>(minimum: string, field: string, value: T | undefined): T | undefined =>
    since(minimum, value, { version, leaf, at: `spec.${field}` });
  const classic = young('2.45', 'scrapeClassicHistograms', spec.scrapeClassicHistograms);
  const native = young('3.8', 'scrapeNativeHistograms', spec.scrapeNativeHistograms);
  const convert = young('3.0', 'convertClassicHistogramsToNHCB', spec.convertClassicHistogramsToNHCB);
  const factor = young('2.50', 'nativeHistogramMinBucketFactor', spec.nativeHistogramMinBucketFactor);
  checkProtocol(spec.fallbackScrapeProtocol, { version, leaf, at: 'spec.fallbackScrapeProtocol' });
  return {
    ...given({
      scrape_protocols: scrapeProtocols(spec.scrapeProtocols, { version, leaf, at: 'spec.scrapeProtocols' }),
      fallback_scrape_protocol:
        young('3.0', 'fallbackScrapeProtocol', spec.fallbackScrapeProtocol) ?? scrapeClass?.fallbackScrapeProtocol,
      native_histogram_bucket_limit: young('2.45', 'nativeHistogramBucketLimit', spec.nativeHistogramBucketLimit),
      native_histogram_min_bucket_factor: factor === undefined ? undefined : quantityOf(factor, leaf),
    }),
    ...(native !== undefined && { scrape_native_histograms: native }),
    ...(classic !== undefined && {
      [version.major === 2 ? 'scrape_classic_histograms' : 'always_scrape_classic_histograms']: classic,
    }),
    ...(convert !== undefined && { convert_classic_histograms_to_nhcb: convert }),
  };
}

/** A quantity of Kubernetes, `1.1` or `1100m`. */
function quantityOf(quantity: number | string, leaf: Leaf): number | undefined {
  const parsed = parseQuantity(String(quantity));
  if (parsed === undefined)
    leaf.reject('InvalidField', 'spec.nativeHistogramMinBucketFactor', `"${quantity}" is no number`);
  return parsed === undefined ? undefined : Number(parsed) / 1e9;
}

/** The class that a monitor names, or the default one. A name that no class has rejects the monitor. */
export function classOf(
  { scrapeClass: name }: { readonly scrapeClass?: string },
  { classes }: PrometheusSettings,
  leaf: Leaf,
): RenderedClass | undefined {
  if (name === undefined || name === '') return classes.find(({ isDefault }) => isDefault);
  const found = classes.find((each) => each.name === name);
  if (found === undefined) leaf.reject('InvalidField', 'spec.scrapeClass', `no scrape class is called "${name}"`);
  return found;
}

/** The monitor's own settings; files that it does not name come from the class. */
export function mergedTls(own: Section | undefined, scrapeClass: RenderedClass | undefined): Section | undefined {
  const { ca_file, cert_file, key_file } = scrapeClass?.tls ?? {};
  return own === undefined ? scrapeClass?.tls : { ...given({ ca_file, cert_file, key_file }), ...own };
}

export function mergedAuthorization(
  own: Authorization | undefined,
  place: {
    readonly leaf: Leaf;
    readonly at: string;
    readonly scrapeClass: RenderedClass | undefined;
    /** The monitor has no other way to log in. */
    readonly isAlone: boolean;
  },
): Section | undefined {
  const section = authorization(own, place.leaf, place.at);
  const fromClass = place.scrapeClass?.authorization;
  if (section === undefined) return place.isAlone ? fromClass : undefined;
  const hasCredentials = 'credentials' in section || 'credentials_file' in section;
  if (hasCredentials || fromClass === undefined) return section;
  const { type: _type, ...credentials } = fromClass;
  return { ...section, ...credentials };
}

interface OwnRules {
  readonly scrape: Scrape;
  readonly field: string;
  readonly enforced: string;
}

/**
 * The rules before the scrape that are not the operator's: the class's, then the object's. After them comes the tenant's
 * label, on which nobody else has a say.
 */
export function ownRules(configs: readonly RelabelConfig[] | undefined, own: OwnRules): readonly RelabelRule[] {
  return withEnforced(own.scrape.scrapeClass?.relabelings, configs, own);
}

/** The same for what was scraped. */
export function metricRules(configs: readonly RelabelConfig[] | undefined, own: OwnRules): readonly RelabelRule[] {
  return withEnforced(own.scrape.scrapeClass?.metricRelabelings, configs, own);
}

function withEnforced(
  first: readonly RelabelRule[] | undefined,
  configs: readonly RelabelConfig[] | undefined,
  { scrape: { leaf, settings }, field, enforced }: OwnRules,
): readonly RelabelRule[] {
  return [
    ...(first ?? []),
    ...relabelRules(configs, { leaf, at: field }),
    ...(enforced === '' ? [] : [constant(settings.enforcedNamespaceLabel, enforced)]),
  ];
}

/** The namespace that is written over whatever the targets say; empty for objects that are spared. */
export function enforcedNamespace(
  { enforcedNamespaceLabel, excludedFromEnforcement }: PrometheusSettings,
  resource: string,
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
): string {
  const isSpared = excludedFromEnforcement.some(
    (each) => each.resource === resource && each.namespace === namespace && (!each.name || each.name === name),
  );
  return enforcedNamespaceLabel === '' || isSpared ? '' : namespace;
}

/** Pods that have ended answer no more. */
export function runningRules(filterRunning: boolean | undefined): readonly RelabelRule[] {
  return filterRunning === false ? [] : [drop('__meta_kubernetes_pod_phase', '(Failed|Succeeded)')];
}
