import type { PrometheusSpec } from '../../../../resources/prometheus.ts';
import type { PrometheusAgentSpec } from '../../../../resources/prometheus-agent.ts';
import type { CommonPrometheusSpec, WebHeaders } from '../../../../resources/prometheus-fields.ts';
import { checkDuration, checkUrl } from '../../../../scrape/checks.ts';
import { checkSize } from '../../../../scrape/sizes.ts';
import { type Place, prometheus } from '../settings.ts';
import { tsdbFields } from './configured.ts';
import { messageOf, remoteWriteFields, secondProtocol } from './remote-write.ts';
import type { RootFields, SheetLine } from './sheets.ts';

/**
 * What of a root stands on the command line, in upstream's order: a different order would restart every pod on take-over.
 * `true` stands for the flag alone, `false` for its `no-` twin.
 */

type Part<Name extends keyof CommonPrometheusSpec> = Pick<RootFields<CommonPrometheusSpec>, Name>;

type Received =
  | 'enableFeatures'
  | 'enableOTLPReceiver'
  | 'enableRemoteWriteReceiver'
  | 'otlp'
  | 'remoteWrite'
  | 'remoteWriteReceiverMessageVersions';

const receiverFields: Part<Received> = {
  enableRemoteWriteReceiver: { argument: { as: 'web.enable-remote-write-receiver' } },
  remoteWriteReceiverMessageVersions: {
    argument: {
      as: 'web.remote-write-receiver.accepted-protobuf-messages',
      since: prometheus('2.54'),
      made: (versions = [], _, { spec }) =>
        spec.enableRemoteWriteReceiver === true ? versions.map(messageOf).join(',') : undefined,
    },
  },
  remoteWrite: {
    members: remoteWriteFields,
    argument: {
      as: 'enable-feature=metadata-wal-records',
      from: '2.54',
      until: '3.4',
      of: (remotes) => remotes.some(({ messageVersion }) => messageVersion === secondProtocol),
    },
  },
  enableOTLPReceiver: {
    argument: {
      as: ({ version }) => (version.major === 2 ? 'enable-feature=otlp-write-receiver' : 'web.enable-otlp-receiver'),
      since: prometheus('2.47'),
      made: (own, _, { spec }) => own ?? spec.otlp !== undefined,
    },
  },
  otlp: 'no effect',
  // Each from its own source has its own argument: Prometheus takes the flag as often as it comes.
  enableFeatures: { argument: { as: 'enable-feature', of: (features) => features.join(',') } },
};

const headerFields: RootFields<WebHeaders> = {
  contentSecurityPolicy: { webHeaders: { as: 'Content-Security-Policy' } },
  xFrameOptions: { webHeaders: { as: 'X-Frame-Options', of: (option) => option.toLowerCase() } },
  xContentTypeOptions: { webHeaders: { as: 'X-Content-Type-Options', of: (option) => option.toLowerCase() } },
  xXSSProtection: { webHeaders: { as: 'X-XSS-Protection' } },
  strictTransportSecurity: { webHeaders: { as: 'Strict-Transport-Security' } },
};

/** What all roots are started with. */
export const commandFields: Part<
  Received | 'externalUrl' | 'listenLocal' | 'logFormat' | 'logLevel' | 'reloadStrategy' | 'routePrefix' | 'web'
> = {
  reloadStrategy: { argument: { as: 'web.enable-lifecycle', made: (own) => own !== 'ProcessSignal' } },
  web: {
    members: {
      pageTitle: { argument: { as: 'web.page-title' } },
      maxConnections: { argument: { as: 'web.max-connections', keepsAll: true } },
      tlsConfig: 'elsewhere',
      httpConfig: {
        members: {
          http2: { webServer: { as: 'http2', keepsAll: true } },
          headers: { members: headerFields },
        },
      },
    },
  },
  ...receiverFields,
  externalUrl: { argument: { as: 'web.external-url', check: checkUrl } },
  routePrefix: { argument: { as: 'web.route-prefix', made: (own) => own || '/' } },
  // What holds anyway is not spelled out.
  logLevel: { argument: { as: 'log.level', of: (level) => (level === 'info' ? undefined : level) } },
  logFormat: { argument: { as: 'log.format', of: (format) => (format === 'logfmt' ? undefined : format) } },
  listenLocal: { argument: { as: 'web.listen-address', of: (isOn) => (isOn ? '127.0.0.1:9090' : undefined) } },
};

type ServerPart<Name extends keyof PrometheusSpec> = Pick<RootFields<PrometheusSpec>, Name>;

/** Up to a version on the command line, then in the configuration. */
const retentionMoved = '3.11';

/** A day, unless the size alone decides. */
const retentionTime: Pick<SheetLine<string, PrometheusSpec, Place>, 'check' | 'made'> = {
  check: checkDuration,
  made: (own, _, { spec }) => own || (spec.retentionSize ? undefined : '24h'),
};

type Stored =
  | 'disableCompaction'
  | 'enableAdminAPI'
  | 'query'
  | 'retention'
  | 'retentionSize'
  | 'rules'
  | 'runtime'
  | 'tsdb'
  | 'walCompression';

/** Up to a version among the variables of the process. */
const gogcMoved = '2.53';

export const serverCommandFields: ServerPart<Stored> = {
  retention: {
    argument: { as: 'storage.tsdb.retention.time', until: retentionMoved, ...retentionTime },
    retention: { as: 'time', from: retentionMoved, ...retentionTime },
  },
  retentionSize: {
    argument: { as: 'storage.tsdb.retention.size', until: retentionMoved, check: checkSize },
    retention: { as: 'size', from: retentionMoved, check: checkSize },
  },
  enableAdminAPI: { storageArgument: { as: 'web.enable-admin-api' } },
  rules: {
    members: {
      alert: {
        members: {
          forOutageTolerance: { storageArgument: { as: 'rules.alert.for-outage-tolerance', check: checkDuration } },
          forGracePeriod: { storageArgument: { as: 'rules.alert.for-grace-period', check: checkDuration } },
          resendDelay: { storageArgument: { as: 'rules.alert.resend-delay', check: checkDuration } },
        },
      },
    },
  },
  query: {
    members: {
      lookbackDelta: { storageArgument: { as: 'query.lookback-delta', check: checkDuration } },
      maxSamples: { storageArgument: { as: 'query.max-samples', of: positive } },
      maxConcurrency: { storageArgument: { as: 'query.max-concurrency', of: positive } },
      timeout: { storageArgument: { as: 'query.timeout', check: checkDuration } },
    },
  },
  walCompression: { storageArgument: { as: 'storage.tsdb.wal-compression', keepsAll: true } },
  runtime: {
    members: {
      goGC: {
        environment: { as: 'GOGC', until: gogcMoved, keepsAll: true, of: String },
        runtime: { as: 'gogc', from: gogcMoved },
      },
    },
  },
  disableCompaction: {
    lastArgument: [
      { as: 'storage.tsdb.max-block-duration', of: (isOff) => (isOff ? '2h' : undefined) },
      { as: 'storage.tsdb.min-block-duration', of: (isOff) => (isOff ? '2h' : undefined) },
    ],
  },
  tsdb: {
    ...tsdbFields('2.39'),
    // Blocks that come late overlap others, and would be compacted with them all the same.
    lastArgument: {
      as: 'no-storage.tsdb.allow-overlapping-compaction',
      from: '2.55',
      made: (tsdb, _, { spec }) => spec.disableCompaction === true && tsdb?.outOfOrderTimeWindow !== undefined,
    },
  },
};

export const agentCommandFields: Pick<RootFields<PrometheusAgentSpec>, 'runtime' | 'tsdb' | 'walCompression'> = {
  walCompression: { storageArgument: { as: 'storage.agent.wal-compression', keepsAll: true } },
  runtime: { members: { goGC: { runtime: { as: 'gogc', since: prometheus(gogcMoved) } } } },
  tsdb: tsdbFields('2.54'),
};

function positive(count: number): number | undefined {
  return count > 0 ? count : undefined;
}
