import type { PrometheusSpec } from '../../../resources/prometheus.ts';
import { isServer, type PrometheusRoot } from '../config/document.ts';
import { isAtLeast, type Version } from '../config/version.ts';

export const configOutFolder = '/etc/prometheus/config_out';
export const envsubstFile: string = `${configOutFolder}/prometheus.env.yaml`;
export const webConfigFile = '/etc/prometheus/web_config/web-config.yaml';
export const dataFolder = '/prometheus';

export interface Arguments {
  readonly args: readonly string[];
  /** Names among `additionalArgs` that the operator sets itself. */
  readonly clashes: readonly string[];
}

export interface UnknownArgument {
  readonly field: string;
  /** The oldest version that knows it. */
  readonly minimum: string;
}

/** What of the spec the chosen version of Prometheus knows no argument for. */
export function unknownArguments({ spec }: PrometheusRoot, version: Version): readonly UnknownArgument[] {
  const young = (field: string, minimum: string, isSet: boolean): readonly UnknownArgument[] =>
    isSet && !isAtLeast(version, minimum) ? [{ field, minimum }] : [];
  return [
    ...young(
      'remoteWriteReceiverMessageVersions',
      acceptedMessagesSince,
      spec.enableRemoteWriteReceiver === true && (spec.remoteWriteReceiverMessageVersions ?? []).length > 0,
    ),
    ...young('enableOTLPReceiver', otlpSince, spec.enableOTLPReceiver === true),
  ];
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

/** The reloader sends a signal instead of a request, for which it has to see the process. */
export function reloadsBySignal({ spec }: PrometheusRoot): boolean {
  return spec.reloadStrategy === 'ProcessSignal';
}

export function routePrefix({ spec }: PrometheusRoot): string {
  return spec.routePrefix || '/';
}

function commonArguments(root: PrometheusRoot, version: Version): readonly string[] {
  const { spec } = root;
  return [
    `--config.file=${envsubstFile}`,
    ...(version.major === 2
      ? [
          '--web.console.templates=/etc/prometheus/consoles',
          '--web.console.libraries=/etc/prometheus/console_libraries',
        ]
      : []),
    ...(reloadsBySignal(root) ? [] : ['--web.enable-lifecycle']),
    ...given('--web.page-title', spec.web?.pageTitle),
    ...(spec.web?.maxConnections === undefined ? [] : [`--web.max-connections=${spec.web.maxConnections}`]),
    ...receiverArguments(spec, version),
    ...featureArguments(root, version),
    ...given('--web.external-url', spec.externalUrl),
    `--web.route-prefix=${routePrefix(root)}`,
    ...given('--log.level', spec.logLevel === 'info' ? undefined : spec.logLevel),
    ...given('--log.format', spec.logFormat === 'logfmt' ? undefined : spec.logFormat),
    ...(spec.listenLocal === true ? ['--web.listen-address=127.0.0.1:9090'] : []),
  ];
}

function receiverArguments(spec: PrometheusRoot['spec'], version: Version): readonly string[] {
  if (spec.enableRemoteWriteReceiver !== true) return [];
  const messages = (spec.remoteWriteReceiverMessageVersions ?? []).map((each) =>
    each === 'V2.0' ? 'io.prometheus.write.v2.Request' : 'prometheus.WriteRequest',
  );
  return [
    '--web.enable-remote-write-receiver',
    ...(messages.length > 0 && isAtLeast(version, acceptedMessagesSince)
      ? [`--web.remote-write-receiver.accepted-protobuf-messages=${messages.join(',')}`]
      : []),
  ];
}

const acceptedMessagesSince = '2.54';

/** Each from its own source has its own argument: Prometheus takes the flag as often as it comes. */
function featureArguments({ spec }: PrometheusRoot, version: Version): readonly string[] {
  const sendsSecond = (spec.remoteWrite ?? []).some(({ messageVersion }) => messageVersion === 'V2.0');
  const receivesOtlp = spec.enableOTLPReceiver ?? spec.otlp !== undefined;
  return [
    ...(sendsSecond && isAtLeast(version, '2.54') && !isAtLeast(version, '3.4')
      ? ['--enable-feature=metadata-wal-records']
      : []),
    ...(receivesOtlp && version.major > 2 ? ['--web.enable-otlp-receiver'] : []),
    ...(receivesOtlp && version.major === 2 && isAtLeast(version, otlpSince)
      ? ['--enable-feature=otlp-write-receiver']
      : []),
    ...given('--enable-feature', (spec.enableFeatures ?? []).join(',')),
  ];
}

const otlpSince = '2.47';

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
    ...given('--query.max-samples', positiveNumber(spec.query?.maxSamples)),
    ...given('--query.max-concurrency', positiveNumber(spec.query?.maxConcurrency)),
    ...given('--query.timeout', spec.query?.timeout),
    ...compression('storage.tsdb.wal-compression', spec.walCompression),
    `--web.config.file=${webConfigFile}`,
    ...compactionArguments(spec, version),
  ];
}

/** Blocks that come late overlap others, and would be compacted with them all the same. */
function compactionArguments({ disableCompaction, tsdb }: PrometheusSpec, version: Version): readonly string[] {
  if (disableCompaction !== true) return [];
  return [
    '--storage.tsdb.max-block-duration=2h',
    '--storage.tsdb.min-block-duration=2h',
    ...(tsdb?.outOfOrderTimeWindow !== undefined && isAtLeast(version, '2.55')
      ? ['--no-storage.tsdb.allow-overlapping-compaction']
      : []),
  ];
}

function retentionArguments({ retention, retentionSize }: PrometheusSpec): readonly string[] {
  const time = retention || (retentionSize ? undefined : '24h');
  return [...given('--storage.tsdb.retention.time', time), ...given('--storage.tsdb.retention.size', retentionSize)];
}

function agentArguments({ spec }: PrometheusRoot, version: Version): readonly string[] {
  return [
    version.major === 2 ? '--enable-feature=agent' : '--agent',
    `--storage.agent.path=${dataFolder}`,
    ...compression('storage.agent.wal-compression', spec.walCompression),
    `--web.config.file=${webConfigFile}`,
  ];
}

function compression(name: string, isOn: boolean | undefined): readonly string[] {
  if (isOn === undefined) return [];
  return [isOn ? `--${name}` : `--no-${name}`];
}

function positiveNumber(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
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
