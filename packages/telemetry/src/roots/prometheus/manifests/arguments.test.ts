import { expect, test } from 'vitest';
import type { Prometheus, PrometheusSpec } from '../../../resources/prometheus.ts';
import type { PrometheusAgent, PrometheusAgentSpec } from '../../../resources/prometheus-agent.ts';
import { createLeaf, type Leaf } from '../../../scrape/leaf.ts';
import { parseVersion, type Version } from '../config/version.ts';
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
const version = (text: string): Version => {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
};
const at = (text: string): { readonly version: Version; readonly leaf: Leaf } => {
  const vault = { lookup: () => ({ state: 'object missing' }) as const, pathOf: () => '' };
  const leaf = createLeaf(server({}), vault, { missingFile: 'reject', expansion: 'any of the reloader' });
  return { version: version(text), leaf };
};
const config = '--config.file=/etc/prometheus/config_out/prometheus.env.yaml';
const web = '--web.config.file=/etc/prometheus/web_config/web-config.yaml';

test('what a Prometheus 3 is started with when nothing is said', () => {
  expect(prometheusArguments(server({}), at('3.13.2')).args).toEqual([
    config,
    '--web.enable-lifecycle',
    '--web.route-prefix=/',
    '--storage.tsdb.path=/prometheus',
    web,
  ]);
});

test('what an agent is started with when nothing is said', () => {
  expect(prometheusArguments(agent({}), at('3.13.2')).args).toEqual([
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
    { enableRemoteWriteReceiver: true, remoteWriteReceiverMessageVersions: ['V2.0', 'V1.0'] },
    [
      '--web.enable-remote-write-receiver',
      '--web.remote-write-receiver.accepted-protobuf-messages=io.prometheus.write.v2.Request,prometheus.WriteRequest',
    ],
  ],
  ['receives OTLP by a flag', '3.0', { enableOTLPReceiver: true }, ['--web.enable-otlp-receiver']],
  ['receives OTLP by a feature', '2.50', { enableOTLPReceiver: true }, ['--enable-feature=otlp-write-receiver']],
  [
    'records metadata for the second protocol',
    '3.0',
    { enableFeatures: ['a'], remoteWrite: [{ url: 'http://a', messageVersion: 'V2.0' }] },
    ['--enable-feature=metadata-wal-records', '--enable-feature=a'],
  ],
  ['receives OTLP as soon as it is told how', '3.0', { otlp: {} }, ['--web.enable-otlp-receiver']],
  ['serves one connection at a time', '3.0', { web: { maxConnections: 0 } }, ['--web.max-connections=0']],
  ['listens to its own pod only', '3.0', { listenLocal: true }, ['--web.listen-address=127.0.0.1:9090']],
  [
    'passes on what it does not know',
    '3.0',
    { additionalArgs: [{ name: 'a.b', value: 'c' }, { name: 'd' }] },
    ['--a.b=c', '--d'],
  ],
])('a Prometheus %s', (_, text, spec, expected) => {
  const { args, clashes } = prometheusArguments(server(spec), at(text));
  expect(args).toEqual(expect.arrayContaining([...expected]));
  expect(clashes).toEqual([]);
});

/** The index of each in the command line: a different order is a different template, and restarts every pod. */
const places = (spec: PrometheusSpec, text: string, names: readonly string[]): readonly number[] => {
  const { args } = prometheusArguments(server(spec), at(text));
  return names.map((name) => args.findIndex((each) => each.startsWith(`--${name}`)));
};

test('arguments of queries stand in upstream’s order', () => {
  const query = { lookbackDelta: '1m', maxSamples: 1, maxConcurrency: 2, timeout: '1m' };
  const found = places({ query }, '3.0', [
    'query.lookback-delta',
    'query.max-samples',
    'query.max-conc',
    'query.timeout',
  ]);
  expect(found[0]).toBeGreaterThan(0);
  expect(found).toEqual([0, 1, 2, 3].map((each) => (found[0] ?? 0) + each));
});

test.each<[string, PrometheusSpec, boolean]>([
  ['2.55', { disableCompaction: true, tsdb: { outOfOrderTimeWindow: '1h' } }, true],
  ['2.54', { disableCompaction: true, tsdb: { outOfOrderTimeWindow: '1h' } }, false],
  ['3.0.0-rc.0', { disableCompaction: true, tsdb: { outOfOrderTimeWindow: '0s' } }, true],
  ['3.0', { disableCompaction: true }, false],
  ['3.0', { tsdb: { outOfOrderTimeWindow: '1h' } }, false],
])('Prometheus %s with %j keeps overlapping blocks apart: %s', (text, spec, expected) => {
  const { args } = prometheusArguments(server(spec), at(text));
  expect(args.includes('--no-storage.tsdb.allow-overlapping-compaction')).toBe(expected);
});

test('the log level and format that hold anyway are not spelled out', () => {
  const { args } = prometheusArguments(server({ logLevel: 'info', logFormat: 'logfmt' }), at('3.0'));
  expect(args.filter((each) => each.startsWith('--log'))).toEqual([]);
});

test('an argument that the operator sets, or its twin, is not passed on', () => {
  const additionalArgs = [
    { name: 'web.enable-lifecycle' },
    { name: 'no-web.enable-lifecycle' },
    { name: 'web.enable' },
  ];
  expect(prometheusArguments(server({ additionalArgs }), at('3.0')).clashes).toEqual([
    'web.enable-lifecycle',
    'no-web.enable-lifecycle',
  ]);
});
