import { expect, test } from 'vitest';
import { parseVersion, type Version } from '../../config/prometheus/version.ts';
import type { Prometheus, PrometheusSpec } from '../../resources/prometheus.ts';
import type { PrometheusAgent, PrometheusAgentSpec } from '../../resources/prometheus-agent.ts';
import { prometheusArguments } from './arguments.ts';

const metadata = { name: 'a', namespace: 'b', uid: '', resourceVersion: '', creationTimestamp: '' };
const server = (spec: PrometheusSpec): Prometheus => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'Prometheus',
  metadata,
  spec,
});
const agent = (spec: PrometheusAgentSpec): PrometheusAgent => ({
  apiVersion: 'monitoring.coreos.com/v1alpha1',
  kind: 'PrometheusAgent',
  metadata,
  spec,
});
const version = (text: string): Version => parseVersion(text) ?? [0, 0, 0];
const config = '--config.file=/etc/prometheus/config_out/prometheus.env.yaml';
const web = '--web.config.file=/etc/prometheus/web_config/web-config.yaml';

test('what a Prometheus 3 is started with when nothing is said', () => {
  expect(prometheusArguments(server({}), version('3.13.2')).args).toEqual([
    config,
    '--web.enable-lifecycle',
    '--web.route-prefix=/',
    '--storage.tsdb.path=/prometheus',
    web,
  ]);
});

test('what an agent is started with when nothing is said', () => {
  expect(prometheusArguments(agent({}), version('3.13.2')).args).toEqual([
    config,
    '--web.enable-lifecycle',
    '--web.route-prefix=/',
    '--agent',
    '--storage.agent.path=/prometheus',
    web,
  ]);
});

test.each<[string, string, PrometheusSpec, readonly string[]]>([
  ['keeps data for a day unless told otherwise', '3.10', {}, ['--storage.tsdb.retention.time=24h']],
  ['keeps data by size alone', '3.10', { retentionSize: '1GB' }, ['--storage.tsdb.retention.size=1GB']],
  [
    'keeps data by both',
    '2.45',
    { retention: '3d', retentionSize: '1GB' },
    ['--storage.tsdb.retention.time=3d', '--storage.tsdb.retention.size=1GB'],
  ],
  ['compresses its log', '3.0', { walCompression: true }, ['--storage.tsdb.wal-compression']],
  ['does not compress its log', '3.0', { walCompression: false }, ['--no-storage.tsdb.wal-compression']],
  [
    'receives samples',
    '2.54',
    { enableRemoteWriteReceiver: true, remoteWriteReceiverMessageVersions: ['V2.0'] },
    [
      '--web.enable-remote-write-receiver',
      '--web.remote-write-receiver.accepted-protobuf-messages=io.prometheus.write.v2.Request',
    ],
  ],
  ['receives OTLP by a flag', '3.0', { enableOTLPReceiver: true }, ['--web.enable-otlp-receiver']],
  ['receives OTLP by a feature', '2.50', { enableOTLPReceiver: true }, ['--enable-feature=otlp-write-receiver']],
  [
    'records metadata for the second protocol',
    '3.0',
    { enableFeatures: ['a'], remoteWrite: [{ url: 'http://a', messageVersion: 'V2.0' }] },
    ['--enable-feature=a,metadata-wal-records'],
  ],
  ['listens to its own pod only', '3.0', { listenLocal: true }, ['--web.listen-address=127.0.0.1:9090']],
  [
    'passes on what it does not know',
    '3.0',
    { additionalArgs: [{ name: 'a.b', value: 'c' }, { name: 'd' }] },
    ['--a.b=c', '--d'],
  ],
])('a Prometheus %s', (_, text, spec, expected) => {
  const { args, clashes } = prometheusArguments(server(spec), version(text));
  expect(args).toEqual(expect.arrayContaining([...expected]));
  expect(clashes).toEqual([]);
});

test('the log level and format that hold anyway are not spelled out', () => {
  const { args } = prometheusArguments(server({ logLevel: 'info', logFormat: 'logfmt' }), version('3.0'));
  expect(args.filter((each) => each.startsWith('--log'))).toEqual([]);
});

test('an argument that the operator sets, or its twin, is not passed on', () => {
  const additionalArgs = [
    { name: 'web.enable-lifecycle' },
    { name: 'no-web.enable-lifecycle' },
    { name: 'web.enable' },
  ];
  expect(prometheusArguments(server({ additionalArgs }), version('3.0')).clashes).toEqual([
    'web.enable-lifecycle',
    'no-web.enable-lifecycle',
  ]);
});
