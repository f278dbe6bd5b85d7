import type { RemoteWrite } from '../../resources/remote.ts';
import { given } from '../given.ts';
import { checkDuration, checkUrl, relabelRules } from './checks.ts';
import { basicAuth, bearer, oauth2, type Section, tls } from './http.ts';
import type { Leaf } from './leaf.ts';

/** One place that metrics are sent to. `at` is its field: `spec.remoteWrite[0]`. */
export function remoteWriteSection(remote: RemoteWrite, leaf: Leaf, at: string): Section {
  const queue = remote.queueConfig;
  checkUrl(remote.url, { leaf, at: `${at}.url` });
  checkUrl(remote.proxyUrl, { leaf, at: `${at}.proxyUrl` });
  checkDuration(remote.remoteTimeout, { leaf, at: `${at}.remoteTimeout` });
  for (const field of ['maxRetries', 'retryOnRateLimit'] as const)
    if (queue?.[field] !== undefined)
      leaf.warn(
        'UnsupportedField',
        `${at}.queueConfig.${field}`,
        'the agent decides this by itself, so it has no effect',
      );
  return {
    url: remote.url,
    ...given({
      name: remote.name,
      remote_timeout: remote.remoteTimeout,
      headers: remote.headers,
      proxy_url: remote.proxyUrl,
      write_relabel_configs: relabelRules(remote.writeRelabelConfigs, { leaf, at: `${at}.writeRelabelConfigs` }),
      tls_config: tls(remote.tlsConfig, leaf, `${at}.tlsConfig`),
      basic_auth: basicAuth(remote.basicAuth, leaf, { at: `${at}.basicAuth`, passwordAs: 'file' }),
      oauth2: oauth2(remote.oauth2, leaf, `${at}.oauth2`),
      authorization: bearer(remote.bearerToken, remote.bearerTokenFile),
      sigv4: sigv4(remote, leaf, `${at}.sigv4`),
      queue_config: given({
        capacity: queue?.capacity,
        max_shards: queue?.maxShards,
        min_shards: queue?.minShards,
        max_samples_per_send: queue?.maxSamplesPerSend,
        batch_send_deadline: queue?.batchSendDeadline,
        min_backoff: queue?.minBackoff,
        max_backoff: queue?.maxBackoff,
      }),
    }),
    ...metadataSection(remote),
  };
}

/** An empty `sigv4` still means: sign, with what the environment holds. */
function sigv4({ sigv4: signing }: RemoteWrite, leaf: Leaf, at: string): Section | undefined {
  if (signing === undefined) return undefined;
  return given({
    region: signing.region,
    profile: signing.profile,
    role_arn: signing.roleARN,
    access_key: leaf.secretText(signing.accessKey, `${at}.accessKey`),
    secret_key: leaf.secretText(signing.secretKey, `${at}.secretKey`),
  });
}

function metadataSection({ metadataConfig }: RemoteWrite): Section {
  if (metadataConfig === undefined) return {};
  const { send, sendInterval } = metadataConfig;
  return {
    metadata_config: { ...(send !== undefined && { send }), ...given({ send_interval: sendInterval }) },
  };
}
