import type { PrometheusRemoteWrite } from '../../../../resources/prometheus-fields.ts';
import { checkDuration, checkFilled, checkUrl, relabelRules } from '../../../../scrape/checks.ts';
import { durationMs } from '../../../../scrape/duration.ts';
import { type Fields, sectionOf } from '../../../../scrape/fields/table.ts';
import { given } from '../../../../scrape/given.ts';
import { authorization, basicAuth, type Section } from '../../../../scrape/http.ts';
import { checkHeaders } from '../../../../scrape/request-headers.ts';
import { checkedTls, oauth2, oauth2Fields, proxyFields } from '../http.ts';
import { type Place, prometheus } from '../settings.ts';
import { azureAdLine } from './azure-ad.ts';

/** What becomes of every field of a remote write. The order is that of the lines. */

type SigV4 = NonNullable<PrometheusRemoteWrite['sigv4']>;
type Queue = NonNullable<PrometheusRemoteWrite['queueConfig']>;
type Metadata = NonNullable<PrometheusRemoteWrite['metadataConfig']>;

export const secondProtocol = 'V2.0';

/** What a version of the protocol calls its messages. */
export function messageOf(version: string): string {
  return version === secondProtocol ? 'io.prometheus.write.v2.Request' : 'prometheus.WriteRequest';
}

const sigv4Fields: Fields<SigV4, Place> = {
  region: { as: 'region' },
  accessKey: { as: 'access_key', of: (selector, { leaf, at }) => leaf.secretValue(selector, at) },
  secretKey: { as: 'secret_key', of: (selector, { leaf, at }) => leaf.secretValue(selector, at) },
  profile: { as: 'profile' },
  roleArn: { as: 'role_arn' },
  externalId: { as: 'external_id', since: prometheus('3.11') },
  useFIPSSTSEndpoint: { as: 'use_fips_sts_endpoint', since: prometheus('2.54'), keepsAll: true },
};

function sigv4Section(signing: SigV4, place: Place): Section {
  const { leaf, at } = place;
  const section = sectionOf<SigV4, Place>(signing, sigv4Fields, place);
  if ('access_key' in section !== 'secret_key' in section)
    leaf.reject('InvalidField', at, 'accessKey and secretKey belong together');
  if ('external_id' in section && !signing.roleArn)
    leaf.reject('InvalidField', `${at}.externalId`, 'belongs to a role: set roleArn');
  return section;
}

const queueFields: Fields<Queue, Place> = {
  capacity: { as: 'capacity', check: checkNumber },
  minShards: { as: 'min_shards', check: checkNumber },
  maxShards: { as: 'max_shards', check: checkNumber },
  maxSamplesPerSend: { as: 'max_samples_per_send', check: checkNumber },
  batchSendDeadline: { as: 'batch_send_deadline', check: checkDuration },
  minBackoff: { as: 'min_backoff', check: checkDuration },
  maxBackoff: { as: 'max_backoff', check: checkDuration },
  retryOnRateLimit: { as: 'retry_on_http_429' },
  sampleAgeLimit: { as: 'sample_age_limit', since: prometheus('2.50'), check: checkDuration },
  // Its owner is told why it has no effect.
  maxRetries: 'elsewhere',
};

function checkNumber(count: number, { leaf, at }: Place): void {
  if (count < 0) leaf.reject('InvalidField', at, 'must not be negative');
}

/** What holds where the root names nothing. */
const defaultQueue = { minShards: 1, maxShards: 50, minBackoff: '30ms', maxBackoff: '5s' };

function checkQueue(queue: Queue, { leaf, at }: Place): void {
  if (queue.maxRetries !== undefined)
    leaf.warn('UnsupportedField', `${at}.maxRetries`, 'Prometheus decides this by itself, so it has no effect');
  const { minBackoff, maxBackoff, minShards, maxShards } = { ...defaultQueue, ...given(queue) };
  if (minShards > maxShards)
    leaf.reject('InvalidField', `${at}.minShards`, `${minShards} is more than the ${maxShards} of maxShards`);
  if ((durationMs(minBackoff) ?? 0) > (durationMs(maxBackoff) ?? Number.POSITIVE_INFINITY))
    leaf.reject('InvalidField', `${at}.minBackoff`, `${minBackoff} is longer than the ${maxBackoff} of maxBackoff`);
}

const metadataFields: Fields<Metadata, Place> = {
  send: 'elsewhere',
  sendInterval: { as: 'send_interval', check: checkDuration },
  maxSamplesPerSend: { as: 'max_samples_per_send' },
};

/** Nothing is sent unless it is asked for; the second version of the protocol sends metadata with the samples. */
function metadataSection(
  metadata: Metadata | undefined,
  place: Place,
  messageVersion: string | undefined,
): Section | undefined {
  if (metadata === undefined) return undefined;
  const send = (metadata.send ?? false) && messageVersion !== secondProtocol;
  return { send, ...sectionOf<Metadata, Place>(metadata, metadataFields, place) };
}

export const remoteWriteFields: Fields<PrometheusRemoteWrite, Place> = {
  url: {
    as: 'url',
    keepsAll: true,
    check: checkUrl,
    made: (own, place) => {
      checkFilled(own, place);
      return own;
    },
  },
  remoteTimeout: { as: 'remote_timeout', check: checkDuration },
  headers: { as: 'headers', check: checkHeaders },
  name: { as: 'name' },
  messageVersion: { as: 'protobuf_message', since: prometheus('2.54'), of: messageOf },
  sendExemplars: { as: 'send_exemplars' },
  sendNativeHistograms: { as: 'send_native_histograms', since: prometheus('2.40') },
  writeRelabelConfigs: { as: 'write_relabel_configs', of: relabelRules },
  basicAuth: { as: 'basic_auth', of: (auth, { leaf, at }) => basicAuth(auth, leaf, { at, passwordAs: 'text' }) },
  bearerToken: { as: 'bearer_token' },
  bearerTokenFile: { as: 'bearer_token_file' },
  oauth2: { as: 'oauth2', members: oauth2Fields, of: oauth2 },
  tlsConfig: { as: 'tls_config', of: (config, { leaf, at }) => checkedTls(config, leaf, at) },
  authorization: { as: 'authorization', of: (auth, { leaf, at }) => authorization(auth, leaf, at) },
  ...proxyFields,
  // An empty one still means: sign, with what the environment holds.
  sigv4: { as: 'sigv4', keepsAll: true, members: sigv4Fields, of: sigv4Section },
  azureAd: azureAdLine,
  followRedirects: { as: 'follow_redirects', keepsAll: true },
  enableHTTP2: { as: 'enable_http2', keepsAll: true },
  queueConfig: { as: 'queue_config', check: checkQueue, members: queueFields },
  metadataConfig: {
    as: 'metadata_config',
    members: metadataFields,
    made: (own, place, { spec }) => metadataSection(own, place, spec.messageVersion),
  },
  roundRobinDNS: { as: 'round_robin_dns', since: prometheus('3.1'), keepsAll: true },
};
