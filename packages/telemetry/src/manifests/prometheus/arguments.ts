import { isServer, type PrometheusRoot } from '../../config/prometheus/document.ts';
import { isAtLeast, type Version } from '../../config/prometheus/version.ts';
import type { PrometheusSpec } from '../../resources/prometheus.ts';

export const configOutFolder = '/etc/prometheus/config_out';
export const envsubstFile: string = `${configOutFolder}/prometheus.env.yaml`;
export const webConfigFile = '/etc/prometheus/web_config/web-config.yaml';
export const dataFolder = '/prometheus';

export interface Arguments {
  readonly args: readonly string[];
  /** Names among `additionalArgs` that the operator sets itself. */
  readonly clashes: readonly string[];
}

/** The command line of Prometheus, in upstream's order: a different order would restart every pod on take-over. */
export function prometheusArguments(root: PrometheusRoot, version: Version): Arguments {
  const own = [
    ...commonArguments(root, version),
    ...(isServer(root) ? serverArguments : agentArguments)(root, version),
  ];
  const names = new Set(own.map(nameOf));
  const additional = root.spec.additionalArgs ?? [];
  return {
    args: [
      ...own,
      ...additional.map(({ name, value }) =>
        value === undefined || value === '' ? `--${name}` : `--${name}=${value}`,
      ),
    ],
    clashes: additional.map(({ name }) => name).filter((name) => names.has(positive(name))),
  };
}

export function routePrefix({ spec }: PrometheusRoot): string {
  return spec.routePrefix || '/';
}

function commonArguments(root: PrometheusRoot, version: Version): readonly string[] {
  const { spec } = root;
  const isSecond = version[0] === 2;
  const features = featuresOf(root, version);
  return [
    `--config.file=${envsubstFile}`,
    ...(isSecond
      ? [
          '--web.console.templates=/etc/prometheus/consoles',
          '--web.console.libraries=/etc/prometheus/console_libraries',
        ]
      : []),
    '--web.enable-lifecycle',
    ...given('--web.page-title', isAtLeast(version, '2.6') ? spec.web?.pageTitle : undefined),
    ...given('--web.max-connections', spec.web?.maxConnections),
    ...(spec.enableRemoteWriteReceiver === true && isAtLeast(version, '2.33')
      ? [
          '--web.enable-remote-write-receiver',
          ...receivedMessages(spec.remoteWriteReceiverMessageVersions ?? [], version),
        ]
      : []),
    ...(spec.enableOTLPReceiver === true && !isSecond ? ['--web.enable-otlp-receiver'] : []),
    ...(features.length > 0 ? [`--enable-feature=${features.join(',')}`] : []),
    ...given('--web.external-url', spec.externalUrl),
    `--web.route-prefix=${routePrefix(root)}`,
    ...given('--log.level', spec.logLevel === 'info' ? undefined : spec.logLevel),
    ...given('--log.format', spec.logFormat === 'logfmt' ? undefined : spec.logFormat),
    ...(spec.listenLocal === true ? ['--web.listen-address=127.0.0.1:9090'] : []),
  ];
}

function receivedMessages(versions: readonly string[], version: Version): readonly string[] {
  if (!isAtLeast(version, '2.54')) return [];
  return versions.map(
    (each) =>
      `--web.remote-write-receiver.accepted-protobuf-messages=${each === 'V2.0' ? 'io.prometheus.write.v2.Request' : 'prometheus.WriteRequest'}`,
  );
}

function featuresOf({ spec, kind }: PrometheusRoot, version: Version): readonly string[] {
  const sendsSecond = (spec.remoteWrite ?? []).some(({ messageVersion }) => messageVersion === 'V2.0');
  const own = [
    ...(spec.enableFeatures ?? []),
    ...(kind === 'PrometheusAgent' && version[0] === 2 ? ['agent'] : []),
    ...(sendsSecond && isAtLeast(version, '2.54') && !isAtLeast(version, '3.4') ? ['metadata-wal-records'] : []),
    ...(spec.enableOTLPReceiver === true && version[0] === 2 && isAtLeast(version, '2.47')
      ? ['otlp-write-receiver']
      : []),
  ];
  return [...new Set(own)];
}

function serverArguments(root: PrometheusRoot, version: Version): readonly string[] {
  const spec: PrometheusSpec = root.spec;
  return [
    ...(isAtLeast(version, '3.11') ? [] : retentionArguments(spec)),
    `--storage.tsdb.path=${dataFolder}`,
    ...(spec.enableAdminAPI === true ? ['--web.enable-admin-api'] : []),
    ...given('--rules.alert.for-outage-tolerance', spec.rules?.alert?.forOutageTolerance),
    ...given('--rules.alert.for-grace-period', spec.rules?.alert?.forGracePeriod),
    ...given('--rules.alert.resend-delay', spec.rules?.alert?.resendDelay),
    ...given('--query.lookback-delta', spec.query?.lookbackDelta),
    ...given('--query.max-concurrency', spec.query?.maxConcurrency),
    ...given('--query.max-samples', spec.query?.maxSamples),
    ...given('--query.timeout', spec.query?.timeout),
    ...compression('storage.tsdb.wal-compression', spec.walCompression),
    `--web.config.file=${webConfigFile}`,
    ...(spec.disableCompaction === true
      ? ['--storage.tsdb.max-block-duration=2h', '--storage.tsdb.min-block-duration=2h']
      : []),
  ];
}

function retentionArguments({ retention, retentionSize }: PrometheusSpec): readonly string[] {
  const time = retention || (retentionSize ? undefined : '24h');
  return [...given('--storage.tsdb.retention.time', time), ...given('--storage.tsdb.retention.size', retentionSize)];
}

function agentArguments({ spec }: PrometheusRoot, version: Version): readonly string[] {
  return [
    ...(version[0] === 2 ? [] : ['--agent']),
    `--storage.agent.path=${dataFolder}`,
    ...compression('storage.agent.wal-compression', spec.walCompression),
    `--web.config.file=${webConfigFile}`,
  ];
}

function compression(name: string, isOn: boolean | undefined): readonly string[] {
  if (isOn === undefined) return [];
  return [isOn ? `--${name}` : `--no-${name}`];
}

function given(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined || value === '' || value === 0 ? [] : [`${name}=${value}`];
}

function nameOf(argument: string): string {
  return positive(argument.slice('--'.length).split('=')[0] ?? '');
}

/** A flag and its `no-` twin are the same flag. */
function positive(name: string): string {
  return name.startsWith('no-') ? name.slice('no-'.length) : name;
}
