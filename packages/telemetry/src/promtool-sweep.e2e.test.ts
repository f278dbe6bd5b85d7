import type { KubeObject } from '@signalbox/cluster';
import { afterAll, expect, test } from 'vitest';
import { takeIn } from './operator/intake.ts';
import { renderWorld } from './operator/render.ts';
import { reloaderExpanded } from './testing/expanders.ts';
import { componentsForPromtool, forPromtool, openPromtool } from './testing/promtool.ts';
import { objectsOf } from './testing/world.ts';
import { worldOf } from './world/world.ts';

/*
 * Whatever is wrong in one object is found in that object: its owner is told, or Prometheus takes the file. Every field of
 * every kind of monitor, and of a root, gets every wrong value, past the definitions' own checks; then promtool reads what
 * comes of it. One file holds all the wrong monitors, since each of them is said to hurt itself only.
 */
const promtool = openPromtool();
afterAll(() => promtool?.close());

const texts = ['', 'a b', 'ä', '-1', '0', '(', '$1', 'x:y', '300y', '1.5', '://', '%zz', 'a\nb: c'];
/** Of a root they are the administrator's own business. */
const variables = ['$(SHARD)', 'x$(SHARD)', '$(POD_NAME)', 'a{$(SHARD),3}', '$(SHARD)0s'];
const numbers = [-1, 0, 1.5, 2 ** 33];

const tls = { insecureSkipVerify: true, minVersion: 'TLS12', maxVersion: 'TLS13', serverName: 'a' };
const key = { name: 'key', key: 'key' };
const oauth2 = {
  clientId: { secret: key },
  clientSecret: key,
  tokenUrl: 'http://t',
  scopes: ['a'],
  endpointParams: { a: 'b' },
  tlsConfig: tls,
};
const rules = [
  { sourceLabels: ['a'], separator: ';', targetLabel: 'b', regex: '(.*)', replacement: '$1', action: 'Replace' },
  { sourceLabels: ['a'], targetLabel: 'b', modulus: 2, action: 'HashMod' },
  { regex: 'a', replacement: 'b', action: 'LabelMap' },
  { regex: 'a', action: 'LabelDrop' },
  { sourceLabels: ['a'], regex: 'b', action: 'Keep' },
  { sourceLabels: ['a'], targetLabel: 'b', action: 'Lowercase' },
];
const limits = {
  sampleLimit: 1,
  targetLimit: 1,
  labelLimit: 1,
  labelNameLengthLimit: 1,
  labelValueLengthLimit: 1,
  keepDroppedTargets: 1,
  bodySizeLimit: '1MB',
  scrapeProtocols: ['PrometheusProto', 'OpenMetricsText1.0.0'],
  fallbackScrapeProtocol: 'PrometheusProto',
  nativeHistogramBucketLimit: 1,
  nativeHistogramMinBucketFactor: '1.1',
  scrapeClassicHistograms: true,
  convertClassicHistogramsToNHCB: true,
  scrapeNativeHistograms: true,
};
const endpoint = {
  port: 'web',
  path: '/metrics',
  scheme: 'http',
  params: { a: ['b'] },
  interval: '30s',
  scrapeTimeout: '10s',
  honorLabels: true,
  honorTimestamps: true,
  trackTimestampsStaleness: true,
  oauth2,
  tlsConfig: tls,
  relabelings: rules,
  metricRelabelings: rules,
  proxyUrl: 'http://p',
  noProxy: 'a',
  proxyConnectHeader: { a: [key] },
  followRedirects: true,
  enableHttp2: true,
};
const selector = {
  matchLabels: { a: 'b' },
  matchExpressions: [
    { key: 'a', operator: 'In', values: ['b'] },
    { key: 'c', operator: 'Exists' },
  ],
};
const discovery = {
  refreshInterval: '1m',
  basicAuth: { username: key, password: key },
  tlsConfig: tls,
  proxyUrl: 'http://p',
  followRedirects: true,
  enableHTTP2: true,
};

const monitors: Readonly<Record<string, object>> = {
  ServiceMonitor: {
    selector,
    endpoints: [endpoint, { targetPort: 8080, authorization: { type: 'Bearer', credentials: key } }],
    jobLabel: 'a',
    targetLabels: ['a'],
    podTargetLabels: ['b'],
    namespaceSelector: { matchNames: ['a'] },
    attachMetadata: { node: true },
    selectorMechanism: 'RelabelConfig',
    serviceDiscoveryRole: 'Endpoints',
    scrapeClass: 'c',
    ...limits,
  },
  PodMonitor: {
    selector,
    podMetricsEndpoints: [endpoint, { portNumber: 8080, basicAuth: { username: key, password: key } }],
    jobLabel: 'a',
    podTargetLabels: ['b'],
    selectorMechanism: 'RoleSelector',
    ...limits,
  },
  Probe: {
    prober: { url: 'blackbox:9115', scheme: 'http', path: '/probe', proxyUrl: 'http://p' },
    targets: { staticConfig: { static: ['a'], labels: { a: 'b' }, relabelingConfigs: rules } },
    module: 'm',
    params: [{ name: 'a', values: ['b'] }],
    jobName: 'j',
    interval: '30s',
    scrapeTimeout: '10s',
    oauth2,
    tlsConfig: tls,
    metricRelabelings: rules,
    ...limits,
  },
  ScrapeConfig: {
    jobName: 'j',
    staticConfigs: [{ targets: ['a:1'], labels: { a: 'b' } }],
    fileSDConfigs: [{ files: ['/a.json'], refreshInterval: '1m' }],
    httpSDConfigs: [{ url: 'http://a', ...discovery }],
    kubernetesSDConfigs: [
      { role: 'Pod', apiServer: 'http://a', namespaces: { names: ['a'] }, ...discovery, refreshInterval: undefined },
      { role: 'Endpoints', selectors: [{ role: 'Pod', label: 'a=b', field: 'c=d' }], attachMetadata: { node: true } },
    ],
    relabelings: rules,
    metricRelabelings: rules,
    metricsPath: '/m',
    scrapeInterval: '30s',
    scrapeTimeout: '10s',
    params: { a: ['b'] },
    scheme: 'HTTP',
    enableCompression: true,
    authorization: { type: 'Bearer', credentials: key },
    tlsConfig: tls,
    proxyUrl: 'http://p',
    ...limits,
  },
};

const uuid = '6f4b1c3e-0d2a-4f5b-9c7d-8e9f0a1b2c3d';
const rootSpec = {
  scrapeInterval: '30s',
  scrapeTimeout: '10s',
  evaluationInterval: '30s',
  ruleQueryOffset: '1m',
  scrapeProtocols: ['PrometheusProto'],
  externalLabels: { a: 'b' },
  prometheusExternalLabelName: 'p',
  replicaExternalLabelName: 'r',
  nameValidationScheme: 'UTF8',
  nameEscapingScheme: 'Dots',
  sampleLimit: 1,
  enforcedSampleLimit: 1,
  bodySizeLimit: '1MB',
  enforcedBodySizeLimit: '1MB',
  enforcedNamespaceLabel: 'n',
  podTargetLabels: ['a'],
  retention: '1d',
  retentionSize: '1GB',
  runtime: { goGC: 50 },
  tsdb: { outOfOrderTimeWindow: '1h' },
  exemplars: { maxSize: 1 },
  apiserverConfig: { host: 'http://a', authorization: { type: 'Bearer', credentials: key }, tlsConfig: tls },
  scrapeClasses: [{ name: 'c', fallbackScrapeProtocol: 'PrometheusProto', tlsConfig: tls, relabelings: rules }],
  remoteWrite: [
    {
      url: 'http://a',
      name: 'a',
      messageVersion: 'V1.0',
      remoteTimeout: '30s',
      headers: { a: 'b' },
      writeRelabelConfigs: rules,
      oauth2,
      proxyUrl: 'http://p',
      tlsConfig: tls,
      queueConfig: {
        capacity: 10,
        minShards: 1,
        maxShards: 2,
        maxSamplesPerSend: 1,
        batchSendDeadline: '5s',
        minBackoff: '1s',
        maxBackoff: '2s',
        sampleAgeLimit: '1m',
      },
      metadataConfig: { send: true, sendInterval: '1m', maxSamplesPerSend: 1 },
    },
    { url: 'http://b', sigv4: { region: 'a', accessKey: key, secretKey: key, roleArn: 'b', externalId: 'c' } },
    { url: 'http://c', azureAd: { cloud: 'AzurePublic', oauth: { clientId: uuid, clientSecret: key, tenantId: 'b' } } },
    { url: 'http://d', azureAd: { managedIdentity: { clientId: uuid }, scope: 'http://a/.default' } },
    { url: 'http://e', azureAd: { workloadIdentity: { clientId: uuid, tenantId: uuid } } },
  ],
};

/** What every version of the definitions demands is there; whether it makes sense is another matter. */
const isAbsent = ': absent';

interface Variant {
  readonly about: string;
  readonly spec: object;
}

/** The spec with one field wrong, for each field and each wrong value of its type; names of map entries count as values. */
function* variants(
  value: unknown,
  words: readonly string[],
  at = 'spec',
): Generator<{ readonly about: string; readonly value: unknown }> {
  if (typeof value === 'string')
    for (const each of words) yield { about: `${at}: ${JSON.stringify(each)}`, value: each };
  else if (typeof value === 'number') for (const each of numbers) yield { about: `${at}: ${each}`, value: each };
  else if (typeof value === 'boolean') yield { about: `${at}: ${!value}`, value: !value };
  else if (Array.isArray(value)) {
    yield { about: `${at}: []`, value: [] };
    yield { about: `${at}: twice`, value: [...value, ...value] };
    for (const [index, item] of value.entries())
      for (const each of variants(item, words, `${at}[${index}]`))
        yield { about: each.about, value: value.with(index, each.value) };
  } else if (typeof value === 'object' && value !== null) {
    for (const [field, member] of Object.entries(value)) {
      const { [field]: _, ...others } = value as Record<string, unknown>;
      yield { about: `${at}.${field}${isAbsent}`, value: others };
      for (const each of variants(member, words, `${at}.${field}`))
        yield { ...each, value: { ...value, [field]: each.value } };
      if (field === 'a')
        for (const name of words)
          yield { about: `${at}.${JSON.stringify(name)}`, value: { ...others, [name]: member } };
    }
  }
}

function all(kind: string, spec: object, words: readonly string[] = texts): readonly Variant[] {
  return [...variants(spec, words)]
    .map(({ about, value }) => ({ about, spec: value as object }))
    .filter((each) => !each.about.endsWith(isAbsent) || isWhole(kind, each.spec));
}

function isWhole(kind: string, spec: object): boolean {
  const { findings } = takeIn(objectsOf(JSON.stringify(objectOf(kind, 'a', spec))));
  return findings.every(({ severity }) => severity !== 'error');
}

const versions: Readonly<Record<string, string>> = { ScrapeConfig: 'v1alpha1' };
const objectOf = (kind: string, name: string, spec: object): object => ({
  apiVersion: `monitoring.coreos.com/${versions[kind] ?? 'v1'}`,
  kind,
  metadata: { name, namespace: 'monitoring' },
  spec,
});
const selects = {
  serviceMonitorSelector: {},
  podMonitorSelector: {},
  probeSelector: {},
  scrapeConfigSelector: {},
};
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'key', namespace: 'monitoring' },
  data: { key: 'a2V5' },
};

/** The file that comes of the objects; undefined when there is none, since its owner has been told. */
function configOf(root: object, others: readonly object[]): string | undefined {
  if (promtool === undefined) return undefined;
  const objects = objectsOf([root, secret, ...others].map((each) => JSON.stringify(each)).join('\n---\n'));
  const world = worldOf(objects.map((each: KubeObject) => forPromtool(each, promtool)));
  const { configs } = renderWorld(world, { components: componentsForPromtool(), nowMs: 0 });
  return Object.entries(configs).find(([name]) => name.endsWith('prometheus.yaml.gz'))?.[1];
}

/** As the pods of a shard read it. */
function inShard(text: string | undefined, shard: string): string | undefined {
  const environment = { SHARD: shard, POD_NAME: `prometheus-main-${shard}` };
  return text === undefined ? undefined : reloaderExpanded(text, environment, { unknown: 'stays' });
}

function complaintsAbout(files: readonly (readonly [about: string, text: string | undefined])[]): readonly string[] {
  const about = new Map(files.flatMap(([name, text]) => (text === undefined ? [] : [[text, name] as const])));
  const complaints = promtool?.complaints([...about.keys()], 'server') ?? [];
  return [...about.values()].flatMap((name, index) =>
    complaints[index] === '' ? [] : [`${name} ⇒ ${complaints[index]}`],
  );
}

test.skipIf(promtool === undefined).each(Object.entries(monitors))(
  'no wrong value in a %s costs anybody else',
  (kind, spec) => {
    const root = objectOf('Prometheus', 'main', { ...selects, scrapeClasses: [{ name: 'c' }] });
    const wrong = all(kind, spec, [...texts, ...variables]).map((each, index) => ({
      ...each,
      object: objectOf(kind, `v${index}`, each.spec),
    }));
    const everything = configOf(
      root,
      wrong.map(({ object }) => object),
    );
    const [together] = complaintsAbout(['0', '7', '12'].map((shard) => [shard, inShard(everything, shard)]));
    // One by one only where there is something to find: the names of the culprits.
    const culprits =
      together === undefined
        ? []
        : complaintsAbout(wrong.map(({ about, object }) => [about, inShard(configOf(root, [object]), '7')]));
    expect(culprits).toEqual([]);
    expect(together).toBeUndefined();
  },
  60_000,
);

test.skipIf(promtool === undefined)(
  'a wrong value in a root is found before Prometheus has to refuse it',
  () => {
    const monitor = objectOf('ServiceMonitor', 'a', { selector, endpoints: [{ port: 'a' }] });
    const files = all('Prometheus', rootSpec).map(
      ({ about, spec }) =>
        [about, configOf(objectOf('Prometheus', 'main', { ...selects, ...spec }), [monitor])] as const,
    );
    expect(complaintsAbout(files)).toEqual([]);
  },
  60_000,
);
