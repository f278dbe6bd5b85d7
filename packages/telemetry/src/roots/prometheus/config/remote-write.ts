import type { PrometheusRemoteWrite } from '../../../resources/prometheus-fields.ts';
import { checkDuration, checkFilled, checkUrl, relabelRules } from '../../../scrape/checks.ts';
import { durationMs } from '../../../scrape/duration.ts';
import { given } from '../../../scrape/given.ts';
import { authorization, basicAuth, checkOneLogin, type Section } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import { checkHeaders } from '../../../scrape/request-headers.ts';
import { azureAdSection } from './azure-ad.ts';
import { checkedTls, oauth2, proxySection } from './http.ts';
import { type Place, since } from './settings.ts';
import type { Version } from './version.ts';

interface Remote {
  readonly version: Version;
  readonly leaf: Leaf;
  /** `spec.remoteWrite[0]` */
  readonly at: string;
}

/** The places that samples are sent to. */
export function remoteWriteSections(
  remotes: readonly PrometheusRemoteWrite[] | undefined,
  { version, leaf }: Omit<Remote, 'at'>,
): readonly Section[] {
  const names = new Set<string>();
  const sections = new Map<string, number>();
  return (remotes ?? []).map((remote, index) => {
    const at = `spec.remoteWrite[${index}]`;
    if (remote.name && names.has(remote.name))
      leaf.reject('InvalidField', `${at}.name`, `another remote write is called "${remote.name}" already`);
    names.add(remote.name ?? '');
    const section = remoteWriteSection(remote, { version, leaf, at });
    const text = JSON.stringify(section);
    const twin = sections.get(text);
    if (twin !== undefined)
      leaf.reject('InvalidField', at, `is the same as spec.remoteWrite[${twin}]: leave one out, or give it a name`);
    sections.set(text, index);
    return section;
  });
}

function remoteWriteSection(remote: PrometheusRemoteWrite, place: Remote): Section {
  const { version, leaf, at } = place;
  checkFilled(remote.url, { leaf, at: `${at}.url` });
  checkUrl(remote.url, { leaf, at: `${at}.url` });
  checkHeaders(remote.headers, { leaf, at: `${at}.headers` });
  checkDuration(remote.remoteTimeout, { leaf, at: `${at}.remoteTimeout` });
  const young = <T>(minimum: string, field: string, value: T | undefined): T | undefined =>
    since(minimum, value, inField(place, field));
  const roundRobin = young('3.1', 'roundRobinDNS', remote.roundRobinDNS);
  const section: Section = {
    url: remote.url,
    ...given({
      remote_timeout: remote.remoteTimeout,
      headers: remote.headers,
      name: remote.name,
      protobuf_message: protobufMessage(remote, place),
      send_exemplars: remote.sendExemplars,
      send_native_histograms: young('2.40', 'sendNativeHistograms', remote.sendNativeHistograms),
      write_relabel_configs: relabelRules(remote.writeRelabelConfigs, { leaf, at: `${at}.writeRelabelConfigs` }),
      basic_auth: basicAuth(remote.basicAuth, leaf, { at: `${at}.basicAuth`, passwordAs: 'text' }),
      bearer_token: remote.bearerToken,
      bearer_token_file: remote.bearerTokenFile,
      oauth2: oauth2(remote.oauth2, inField(place, 'oauth2')),
      tls_config: checkedTls(remote.tlsConfig, leaf, `${at}.tlsConfig`),
      authorization: authorization(remote.authorization, leaf, `${at}.authorization`),
      ...proxySection(remote, { version, leaf, at }),
    }),
    ...sigv4(remote, place),
    ...given({ azuread: azureAdSection(remote.azureAd, inField(place, 'azureAd')) }),
    ...(remote.followRedirects !== undefined && { follow_redirects: remote.followRedirects }),
    ...(remote.enableHTTP2 !== undefined && { enable_http2: remote.enableHTTP2 }),
    ...given({ queue_config: queueSection(remote, place) }),
    ...metadataSection(remote, place),
    ...(roundRobin !== undefined && { round_robin_dns: roundRobin }),
  };
  checkOneLogin(section, place);
  return section;
}

function inField(place: Remote, field: string): Place {
  return { ...place, at: `${place.at}.${field}` };
}

function protobufMessage({ messageVersion }: PrometheusRemoteWrite, place: Remote): string | undefined {
  const version = since('2.54', messageVersion, inField(place, 'messageVersion'));
  if (version === undefined) return undefined;
  return version === 'V2.0' ? 'io.prometheus.write.v2.Request' : 'prometheus.WriteRequest';
}

/** An empty `sigv4` still means: sign, with what the environment holds. */
function sigv4({ sigv4: signing }: PrometheusRemoteWrite, place: Remote): Section {
  if (signing === undefined) return {};
  const { leaf } = place;
  const at = `${place.at}.sigv4`;
  const accessKey = leaf.secretValue(signing.accessKey, `${at}.accessKey`) || undefined;
  const secretKey = leaf.secretValue(signing.secretKey, `${at}.secretKey`) || undefined;
  if ((accessKey === undefined) !== (secretKey === undefined))
    leaf.reject('InvalidField', at, 'accessKey and secretKey belong together');
  const externalId = since('3.11', signing.externalId || undefined, inField(place, 'sigv4.externalId'));
  if (externalId !== undefined && !signing.roleArn)
    leaf.reject('InvalidField', `${at}.externalId`, 'belongs to a role: set roleArn');
  const fips = since('2.54', signing.useFIPSSTSEndpoint, inField(place, 'sigv4.useFIPSSTSEndpoint'));
  return {
    sigv4: {
      ...given({
        region: signing.region,
        access_key: accessKey,
        secret_key: secretKey,
        profile: signing.profile,
        role_arn: signing.roleArn,
        external_id: externalId,
      }),
      ...(fips !== undefined && { use_fips_sts_endpoint: fips }),
    },
  };
}

function queueSection({ queueConfig: queue }: PrometheusRemoteWrite, place: Remote): Section {
  const { leaf, at } = place;
  for (const field of ['batchSendDeadline', 'minBackoff', 'maxBackoff', 'sampleAgeLimit'] as const)
    checkDuration(queue?.[field], { leaf, at: `${at}.queueConfig.${field}` });
  checkQueue(queue, { leaf, at: `${at}.queueConfig` });
  if (queue?.maxRetries !== undefined)
    leaf.warn(
      'UnsupportedField',
      `${at}.queueConfig.maxRetries`,
      'Prometheus decides this by itself, so it has no effect',
    );
  return given({
    capacity: queue?.capacity,
    min_shards: queue?.minShards,
    max_shards: queue?.maxShards,
    max_samples_per_send: queue?.maxSamplesPerSend,
    batch_send_deadline: queue?.batchSendDeadline,
    min_backoff: queue?.minBackoff,
    max_backoff: queue?.maxBackoff,
    retry_on_http_429: queue?.retryOnRateLimit,
    sample_age_limit: since('2.50', queue?.sampleAgeLimit, inField(place, 'queueConfig.sampleAgeLimit')),
  });
}

/** What holds where the root names nothing. */
const defaultQueue = { minShards: 1, maxShards: 50, minBackoff: '30ms', maxBackoff: '5s' };

function checkQueue(
  queue: PrometheusRemoteWrite['queueConfig'],
  { leaf, at }: { readonly leaf: Leaf; readonly at: string },
): void {
  for (const field of ['capacity', 'minShards', 'maxShards', 'maxSamplesPerSend'] as const)
    if ((queue?.[field] ?? 0) < 0) leaf.reject('InvalidField', `${at}.${field}`, 'must not be negative');
  const { minBackoff, maxBackoff } = { ...defaultQueue, ...given(queue ?? {}) };
  const { minShards, maxShards } = { ...defaultQueue, ...given(queue ?? {}) };
  if (minShards > maxShards)
    leaf.reject('InvalidField', `${at}.minShards`, `${minShards} is more than the ${maxShards} of maxShards`);
  if ((durationMs(minBackoff) ?? 0) > (durationMs(maxBackoff) ?? Number.POSITIVE_INFINITY))
    leaf.reject('InvalidField', `${at}.minBackoff`, `${minBackoff} is longer than the ${maxBackoff} of maxBackoff`);
}

/** Nothing is sent unless it is asked for; the second version of the protocol sends metadata with the samples. */
function metadataSection({ metadataConfig, messageVersion }: PrometheusRemoteWrite, place: Remote): Section {
  if (metadataConfig === undefined) return {};
  const { sendInterval, maxSamplesPerSend, send = false } = metadataConfig;
  checkDuration(sendInterval, { leaf: place.leaf, at: `${place.at}.metadataConfig.sendInterval` });
  return {
    metadata_config: {
      send: send && messageVersion !== 'V2.0',
      ...given({ send_interval: sendInterval, max_samples_per_send: maxSamplesPerSend }),
    },
  };
}
