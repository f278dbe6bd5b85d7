import type { RemoteWrite, SigV4 } from '../../../resources/remote.ts';
import { checkDuration, checkFilled, checkUrl, relabelRules } from '../../../scrape/checks.ts';
import { given } from '../../../scrape/given.ts';
import { basicAuth, checkOneLogin, type Section, tls } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import { checkHeaders } from '../../../scrape/request-headers.ts';
import { bearer, oauth2 } from './http.ts';

/** One place that metrics are sent to. `at` is its field: `spec.remoteWrite[0]`. */
export function remoteWriteSection(remote: RemoteWrite, leaf: Leaf, at: string): Section {
  const queue = remote.queueConfig;
  check(remote, leaf, at);
  for (const field of ['maxRetries', 'retryOnRateLimit'] as const)
    if (queue?.[field] !== undefined)
      leaf.warn(
        'UnsupportedField',
        `${at}.queueConfig.${field}`,
        'the agent decides this by itself, so it has no effect',
      );
  const section: Section = {
    url: remote.url,
    ...given({
      name: remote.name && leaf.settleName(remote.name),
      remote_timeout: remote.remoteTimeout,
      headers: remote.headers,
      proxy_url: remote.proxyUrl,
      write_relabel_configs: relabelRules(remote.writeRelabelConfigs, { leaf, at: `${at}.writeRelabelConfigs` }),
      tls_config: tls(remote.tlsConfig, leaf, `${at}.tlsConfig`),
      basic_auth: basicAuth(remote.basicAuth, leaf, { at: `${at}.basicAuth`, passwordAs: 'file' }),
      oauth2: oauth2(remote.oauth2, { leaf, at: `${at}.oauth2` }),
      authorization: bearer(remote.bearerToken, remote.bearerTokenFile),
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
    ...(remote.sigv4 !== undefined && { sigv4: sigv4(remote.sigv4, leaf, `${at}.sigv4`) }),
    ...metadataSection(remote),
  };
  checkOneLogin(section, { leaf, at });
  return section;
}

function check(remote: RemoteWrite, leaf: Leaf, at: string): void {
  const { queueConfig: queue, metadataConfig } = remote;
  checkFilled(remote.url, { leaf, at: `${at}.url` });
  checkUrl(remote.url, { leaf, at: `${at}.url` });
  checkUrl(remote.proxyUrl, { leaf, at: `${at}.proxyUrl` });
  checkDuration(remote.remoteTimeout, { leaf, at: `${at}.remoteTimeout` });
  for (const field of ['batchSendDeadline', 'minBackoff', 'maxBackoff'] as const)
    checkDuration(queue?.[field], { leaf, at: `${at}.queueConfig.${field}` });
  checkDuration(metadataConfig?.sendInterval, { leaf, at: `${at}.metadataConfig.sendInterval` });
  if (remote.bearerToken && remote.bearerTokenFile)
    leaf.reject('InvalidField', `${at}.bearerTokenFile`, 'bearerToken is set as well, and only one of them may be');
  checkHeaders(remote.headers, { leaf, at: `${at}.headers` });
}

/** The agent refuses a file in which two remotes of one list share a name. */
export function checkNames(remotes: readonly RemoteWrite[], leaf: Leaf, at: string): void {
  const taken = new Set<string>();
  remotes.forEach(({ name = '' }, index) => {
    if (taken.has(name))
      leaf.reject('InvalidField', `${at}[${index}].name`, `another remote is called "${name}" already`);
    if (name !== '') taken.add(name);
  });
}

/** An empty `sigv4` still means: sign, with what the environment holds. */
function sigv4(signing: SigV4, leaf: Leaf, at: string): Section {
  const access = leaf.secretValue(signing.accessKey, `${at}.accessKey`);
  const secret = leaf.secretValue(signing.secretKey, `${at}.secretKey`);
  if (!leaf.isRejected && (access === undefined) !== (secret === undefined))
    leaf.reject('InvalidField', at, 'accessKey and secretKey go together');
  return given({
    region: signing.region,
    profile: signing.profile,
    role_arn: signing.roleARN,
    access_key: access,
    secret_key: secret,
  });
}

function metadataSection({ metadataConfig }: RemoteWrite): Section {
  if (metadataConfig === undefined) return {};
  const { send, sendInterval } = metadataConfig;
  return {
    metadata_config: { ...(send !== undefined && { send }), ...given({ send_interval: sendInterval }) },
  };
}
