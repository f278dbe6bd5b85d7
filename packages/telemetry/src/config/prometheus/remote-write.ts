import type { PrometheusRemoteWrite } from '../../resources/prometheus-fields.ts';
import { checkDuration, checkUrl, relabelRules } from '../checks.ts';
import { given } from '../given.ts';
import { authorization, basicAuth, checkOneLogin, type Section } from '../http.ts';
import type { Leaf } from '../leaf.ts';
import { azureAdSection } from './azure-ad.ts';
import { checkedTls, oauth2, proxySection } from './http.ts';
import { type Place, since } from './settings.ts';
import { isAtLeast, type Version } from './version.ts';

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
  return (remotes ?? []).map((remote, index) => {
    const at = `spec.remoteWrite[${index}]`;
    if (remote.name && names.has(remote.name))
      leaf.reject('InvalidField', `${at}.name`, `another remote write is called "${remote.name}" already`);
    names.add(remote.name ?? '');
    return remoteWriteSection(remote, { version, leaf, at });
  });
}

function remoteWriteSection(remote: PrometheusRemoteWrite, place: Remote): Section {
  const { version, leaf, at } = place;
  checkUrl(remote.url, { leaf, at: `${at}.url` });
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
function sigv4({ sigv4: signing }: PrometheusRemoteWrite, { leaf, at }: Remote): Section {
  if (signing === undefined) return {};
  const accessKey = leaf.secretValue(signing.accessKey, `${at}.sigv4.accessKey`);
  const secretKey = leaf.secretValue(signing.secretKey, `${at}.sigv4.secretKey`);
  if ((accessKey === undefined) !== (secretKey === undefined))
    leaf.reject('InvalidField', `${at}.sigv4`, 'accessKey and secretKey belong together');
  return {
    sigv4: given({
      region: signing.region,
      access_key: accessKey,
      secret_key: secretKey,
      profile: signing.profile,
      role_arn: signing.roleArn,
    }),
  };
}

function queueSection({ queueConfig: queue }: PrometheusRemoteWrite, place: Remote): Section {
  const { leaf, at } = place;
  for (const field of ['batchSendDeadline', 'minBackoff', 'maxBackoff', 'sampleAgeLimit'] as const)
    checkDuration(queue?.[field], { leaf, at: `${at}.queueConfig.${field}` });
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

/** The second version of the protocol sends metadata with the samples. */
function metadataSection({ metadataConfig, messageVersion }: PrometheusRemoteWrite, place: Remote): Section {
  const isSecond = messageVersion === 'V2.0' && isAtLeast(place.version, '2.54');
  if (metadataConfig === undefined && !isSecond) return {};
  const { sendInterval, maxSamplesPerSend, send } = metadataConfig ?? {};
  checkDuration(sendInterval, { leaf: place.leaf, at: `${place.at}.metadataConfig.sendInterval` });
  const sends = isSecond ? false : send;
  return {
    metadata_config: {
      ...(sends !== undefined && { send: sends }),
      ...given({ send_interval: sendInterval, max_samples_per_send: maxSamplesPerSend }),
    },
  };
}
