import type { GrafanaAgent } from '../../../../resources/grafana-agent.ts';
import type { LogsClient, QueueConfig, RemoteWrite, SigV4 } from '../../../../resources/remote.ts';
import {
  checkDuration,
  checkFilled,
  checkGoDuration,
  checkLabelNames,
  checkUrl,
  type Place,
  relabelRules,
} from '../../../../scrape/checks.ts';
import { type Fields, type Line, sectionOf } from '../../../../scrape/fields/table.ts';
import { basicAuth, type Section, tls } from '../../../../scrape/http.ts';
import { checkHeaders } from '../../../../scrape/request-headers.ts';
import { clusterLabel } from '../cluster-label.ts';
import { bearer, oauth2Line } from '../http.ts';

/** What becomes of every field of the places that metrics and logs are sent to. The order is that of the lines. */

const urlLine: Line<string, unknown, Place> = {
  as: 'url',
  keepsAll: true,
  check: checkUrl,
  made: (own, place) => {
    checkFilled(own, place);
    return own;
  },
};

const queueFields: Fields<QueueConfig> = {
  capacity: { as: 'capacity' },
  maxShards: { as: 'max_shards' },
  minShards: { as: 'min_shards' },
  maxSamplesPerSend: { as: 'max_samples_per_send' },
  batchSendDeadline: { as: 'batch_send_deadline', check: checkDuration },
  minBackoff: { as: 'min_backoff', check: checkDuration },
  maxBackoff: { as: 'max_backoff', check: checkDuration },
  // Their owner is told why they have no effect.
  maxRetries: 'elsewhere',
  retryOnRateLimit: 'elsewhere',
};

function checkQueue(queue: QueueConfig, { leaf, at }: Place): void {
  for (const field of ['maxRetries', 'retryOnRateLimit'] as const)
    if (queue[field] !== undefined)
      leaf.warn('UnsupportedField', `${at}.${field}`, 'the agent decides this by itself, so it has no effect');
}

const sigv4Fields: Fields<SigV4> = {
  region: { as: 'region' },
  profile: { as: 'profile' },
  roleARN: { as: 'role_arn' },
  accessKey: { as: 'access_key', of: (selector, { leaf, at }) => leaf.secretValue(selector, at) },
  secretKey: { as: 'secret_key', of: (selector, { leaf, at }) => leaf.secretValue(selector, at) },
};

function sigv4Section(signing: SigV4, place: Place): Section {
  const { leaf, at } = place;
  const section = sectionOf(signing, sigv4Fields, place);
  if (!leaf.isRejected && 'access_key' in section !== 'secret_key' in section)
    leaf.reject('InvalidField', at, 'accessKey and secretKey go together');
  return section;
}

export const remoteWriteFields: Fields<RemoteWrite> = {
  url: urlLine,
  name: { as: 'name', of: (name, { leaf }) => name && leaf.settleName(name) },
  remoteTimeout: { as: 'remote_timeout', check: checkDuration },
  headers: { as: 'headers', check: checkHeaders },
  proxyUrl: { as: 'proxy_url', check: checkUrl },
  writeRelabelConfigs: { as: 'write_relabel_configs', of: relabelRules },
  tlsConfig: { as: 'tls_config', of: (config, { leaf, at }) => tls(config, leaf, at) },
  basicAuth: { as: 'basic_auth', of: (auth, { leaf, at }) => basicAuth(auth, leaf, { at, passwordAs: 'file' }) },
  oauth2: oauth2Line,
  bearerToken: { as: 'authorization', made: (token, _, { spec }) => bearer(token, spec.bearerTokenFile) },
  bearerTokenFile: 'elsewhere',
  queueConfig: { as: 'queue_config', check: checkQueue, members: queueFields },
  // An empty one still means: sign, with what the environment holds.
  sigv4: { as: 'sigv4', keepsAll: true, members: sigv4Fields, of: sigv4Section },
  metadataConfig: {
    as: 'metadata_config',
    keepsAll: true,
    members: { send: { as: 'send', keepsAll: true }, sendInterval: { as: 'send_interval', check: checkDuration } },
  },
};

/** The root names the deployment in a label of everything that is sent. */
export interface RootPlace extends Place {
  readonly root: GrafanaAgent;
}

export const logsClientFields: Fields<LogsClient, RootPlace> = {
  url: urlLine,
  tlsConfig: { as: 'tls_config', of: (config, { leaf, at }) => tls(config, leaf, at) },
  proxyUrl: { as: 'proxy_url', check: checkUrl },
  tenantId: { as: 'tenant_id' },
  timeout: { as: 'timeout', check: checkGoDuration },
  batchWait: { as: 'batchwait', check: checkGoDuration },
  batchSize: { as: 'batchsize' },
  basicAuth: { as: 'basic_auth', of: (auth, { leaf, at }) => basicAuth(auth, leaf, { at, passwordAs: 'text' }) },
  oauth2: oauth2Line,
  bearerToken: { as: 'bearer_token' },
  bearerTokenFile: { as: 'bearer_token_file' },
  backoffConfig: {
    as: 'backoff_config',
    members: {
      minPeriod: { as: 'min_period', check: checkGoDuration },
      maxPeriod: { as: 'max_period', check: checkGoDuration },
      maxRetries: { as: 'max_retries' },
    },
  },
  externalLabels: {
    as: 'external_labels',
    check: checkLabelNames,
    made: (own, { root }) => ({ ...clusterLabel(root, root.spec.logs?.logsExternalLabelName), ...own }),
  },
};
