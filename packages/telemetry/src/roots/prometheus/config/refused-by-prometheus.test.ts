import { expect, test } from 'vitest';
import { prometheus, readConfig, readUncheckedConfig, secret, serviceMonitor } from '../../../testing/job.ts';

/*
 * What Prometheus refuses, it refuses together with its whole file. Each of these costs the object that holds it and no
 * other: beside it stands a monitor that must be scraped all the same.
 */
const fine = { ...serviceMonitor({}), metadata: { name: 'fine', namespace: 'monitoring' } };
const encoded = { ...secret('empty', {}), stringData: undefined, data: { key: '' } };
const object = (kind: string, apiVersion: string, spec: object): object => ({
  apiVersion: `monitoring.coreos.com/${apiVersion}`,
  kind,
  metadata: { name: 'bad', namespace: 'monitoring' },
  spec,
});
const scrapeConfig = (spec: object): object => object('ScrapeConfig', 'v1alpha1', spec);
const kubernetes = (config: object): object => scrapeConfig({ kubernetesSDConfigs: [{ role: 'Pod', ...config }] });
const endpoint = (more: object): object => ({ ...serviceMonitor({}, { port: 'http', ...more }), ...named });
const monitor = (more: object): object => ({ ...serviceMonitor(more), ...named });
const named = { metadata: { name: 'bad', namespace: 'monitoring' } };
const oauth2 = {
  clientId: { secret: { name: 'empty', key: 'key' } },
  clientSecret: { name: 'empty', key: 'key' },
  tokenUrl: 'http://t',
};

test.each<[string, object, string]>([
  [
    'a namespace of the own cluster at another API server',
    kubernetes({ apiServer: 'http://a', namespaces: { ownNamespace: true } }),
    'spec.kubernetesSDConfigs[0].namespaces.ownNamespace: is a namespace of the own cluster, and apiServer names another one: leave one of them out',
  ],
  [
    'settings of a connection to nowhere',
    kubernetes({ followRedirects: false }),
    'spec.kubernetesSDConfigs[0]: settings for the connection need an apiServer',
  ],
  [
    'a selector of another role',
    kubernetes({ selectors: [{ role: 'Service', label: 'a=b' }] }),
    'spec.kubernetesSDConfigs[0].selectors[0].role: what is found by Pod is selected by pod only',
  ],
  [
    'two selectors of one role',
    kubernetes({ role: 'Endpoints', selectors: [{ role: 'Pod' }, { role: 'Pod' }] }),
    'spec.kubernetesSDConfigs[0].selectors[1].role: "Pod" has a selector already',
  ],
  [
    'a label selector that is none',
    kubernetes({ selectors: [{ role: 'Pod', label: 'a in' }] }),
    'spec.kubernetesSDConfigs[0].selectors[0].label: "a in" is no label selector',
  ],
  [
    'a field selector that is none',
    kubernetes({ selectors: [{ role: 'Pod', field: 'status.phase' }] }),
    'spec.kubernetesSDConfigs[0].selectors[0].field: "status.phase" is no field selector',
  ],
  [
    'a list of targets that is no web page',
    scrapeConfig({ httpSDConfigs: [{ url: 'ftp://a' }] }),
    'spec.httpSDConfigs[0].url: must begin with http:// or https://',
  ],
  [
    'files in any folder',
    scrapeConfig({ fileSDConfigs: [{ files: ['/a/*/b.json'] }] }),
    'spec.fileSDConfigs[0].files: must name files that end in .json, .yml or .yaml, with a star in the last part of the path at most',
  ],
  [
    'a protocol that is asked for twice',
    monitor({ scrapeProtocols: ['PrometheusProto', 'PrometheusProto'] }),
    'spec.scrapeProtocols[1]: "PrometheusProto" is named twice',
  ],
  ['less than no samples', monitor({ sampleLimit: -1 }), 'spec.sampleLimit: must not be negative'],
  [
    'a size that only ends like one',
    monitor({ bodySizeLimit: 'x10MB' }),
    'spec.bodySizeLimit: "x10MB" is no size such as 10MB',
  ],
  [
    'an interval longer than Go can count',
    endpoint({ interval: '300y' }),
    'spec.endpoints[0].interval: "300y" is no duration such as 30s or 1m30s',
  ],
  ['a login without a name', endpoint({ oauth2 }), 'spec.endpoints[0].oauth2.clientId: must not be empty'],
  [
    'a newest version of TLS older than the oldest',
    endpoint({ tlsConfig: { minVersion: 'TLS13', maxVersion: 'TLS12' } }),
    'spec.endpoints[0].tlsConfig.maxVersion: TLS12 is older than the TLS13 of minVersion',
  ],
  [
    'a selector that the API server would not read',
    monitor({
      selectorMechanism: 'RoleSelector',
      selector: { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] },
    }),
    "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
  ],
  [
    'a replacement for a rule that only changes letters',
    endpoint({ relabelings: [{ sourceLabels: ['a'], targetLabel: 'a', action: 'lowercase', replacement: 'x' }] }),
    'spec.endpoints[0].relabelings[0].replacement: lowercase takes no replacement',
  ],
  [
    'a negative modulus',
    endpoint({ relabelings: [{ sourceLabels: ['a'], targetLabel: 'a', action: 'hashmod', modulus: -3 }] }),
    'spec.endpoints[0].relabelings[0].modulus: must not be negative',
  ],
])('%s costs its own object', (_, bad, problem) => {
  const root = prometheus({ scrapeConfigSelector: {} });
  const { document, findings } = readUncheckedConfig([root, fine, bad, encoded]);
  expect(findings).toEqual([expect.stringMatching(/\/bad: /)]);
  expect(findings[0]).toContain(problem);
  expect(document.scrape_configs.map(({ job_name }) => job_name)).toEqual(['serviceMonitor/monitoring/fine/0']);
});

const remote = (more: object): object => ({ remoteWrite: [{ url: 'http://a', ...more }] });

test.each<[string, object, string]>([
  [
    'a header of two lines',
    remote({ headers: { a: 'x\r\nHost: b' } }),
    'spec.remoteWrite[0].headers[a]: its value may not have line breaks',
  ],
  [
    'a header with a blank',
    remote({ headers: { 'a b': 'x' } }),
    'spec.remoteWrite[0].headers[a b]: "a b" is no name of a header',
  ],
  [
    'a header that Prometheus sets',
    remote({ headers: { 'Content-Type': 'x' } }),
    'spec.remoteWrite[0].headers[Content-Type]: "Content-Type" is set by the sender itself',
  ],
  [
    'a login among the headers',
    remote({ headers: { Authorization: 'x' } }),
    'spec.remoteWrite[0].headers[Authorization]: the ways to log in have fields of their own, such as authorization',
  ],
  [
    'the same remote write twice',
    { remoteWrite: [{ url: 'http://a' }, { url: 'http://a' }] },
    'spec.remoteWrite[1]: is the same as spec.remoteWrite[0]: leave one out, or give it a name',
  ],
  [
    'fewer shards than there have to be',
    remote({ queueConfig: { minShards: 60 } }),
    'spec.remoteWrite[0].queueConfig.minShards: 60 is more than the 50 of maxShards',
  ],
  [
    'a longest wait shorter than the shortest',
    remote({ queueConfig: { minBackoff: '1m' } }),
    'spec.remoteWrite[0].queueConfig.minBackoff: 1m is longer than the 5s of maxBackoff',
  ],
  [
    'an identity that is no UUID',
    remote({ azureAd: { managedIdentity: { clientId: 'me' } } }),
    'spec.remoteWrite[0].azureAd.managedIdentity.clientId: "me" is no UUID',
  ],
  [
    'the machine’s identity before Prometheus 3.5',
    { version: 'v3.4.0', ...remote({ azureAd: { managedIdentity: {} } }) },
    'spec.remoteWrite[0].azureAd.managedIdentity.clientId: may only be empty from Prometheus 3.5 on',
  ],
  [
    'an external id without a role',
    remote({ sigv4: { externalId: 'a' } }),
    'spec.remoteWrite[0].sigv4.externalId: belongs to a role: set roleArn',
  ],
  [
    'names that are not to be escaped and not to be taken',
    { nameValidationScheme: 'Legacy', nameEscapingScheme: 'AllowUTF8' },
    'spec.nameEscapingScheme: AllowUTF8 needs a nameValidationScheme that takes such names: UTF8',
  ],
  ['a negative limit', { enforcedLabelLimit: -1 }, 'spec.enforcedLabelLimit: must not be negative'],
])('%s keeps the root’s last configuration', (_, spec, problem) => {
  const { document, findings } = readUncheckedConfig([prometheus(spec), fine]);
  expect(findings).toEqual([`Prometheus monitoring/main: ${problem}`]);
  expect(document).toEqual({});
});

test.each<[string, object, object | undefined]>([
  ['Pod', { node: true }, { node: true }],
  ['EndpointSlice', { node: true }, { node: true }],
  ['Pod', { node: false }, undefined],
])('targets of role %s that ask for %j get %j of their node', (role, attachMetadata, expected) => {
  const root = prometheus({ scrapeConfigSelector: {} });
  const { document, findings } = readConfig([root, kubernetes({ role, attachMetadata })]);
  expect(findings).toEqual([]);
  expect(document.scrape_configs[0]?.['kubernetes_sd_configs']).toEqual([
    { role: role.toLowerCase(), ...(expected && { attach_metadata: expected }) },
  ]);
});

test.each(['Node', 'Service', 'Ingress'])(
  'targets of role %s get nothing of a node, and their owner is told',
  (role) => {
    const root = prometheus({ scrapeConfigSelector: {} });
    const { document, findings } = readConfig([root, kubernetes({ role, attachMetadata: { node: true } })]);
    expect(findings).toEqual([
      `ScrapeConfig monitoring/bad: spec.kubernetesSDConfigs[0].attachMetadata: the role ${role} takes none, so the field has no effect`,
    ]);
    expect(document.scrape_configs[0]?.['kubernetes_sd_configs']).toEqual([{ role: role.toLowerCase() }]);
  },
);

test('the root’s API server is not that of a ScrapeConfig', () => {
  const root = prometheus({ scrapeConfigSelector: {}, apiserverConfig: { host: 'https://a' } });
  const { document } = readConfig([root, kubernetes({ namespaces: { ownNamespace: true } })]);
  expect(document.scrape_configs[0]?.['kubernetes_sd_configs']).toEqual([
    { role: 'pod', namespaces: { own_namespace: true } },
  ]);
});

const probe = (more: object): object =>
  object('Probe', 'v1', { prober: { url: 'b' }, targets: { staticConfig: { static: ['a'] } }, ...more });

test.each<[object, object | undefined]>([
  [
    {
      module: 'a',
      params: [
        { name: 'module', values: ['b'] },
        { name: 'c', values: ['d'] },
      ],
    },
    { module: ['a'], c: ['d'] },
  ],
  [{ params: [{ name: 'module', values: ['b'] }] }, { module: ['b'] }],
])('a probe with %j asks with %j', (spec, params) => {
  expect(readConfig([prometheus({}), probe(spec)]).document.scrape_configs[0]?.['params']).toEqual(params);
});

test.each<[object, string | undefined]>([
  [{ portNumber: 80, targetPort: 'http' }, 'http'],
  [{ portNumber: 80, targetPort: 8080 }, '8080'],
  [{ portNumber: 80 }, undefined],
  [{ port: 'web', targetPort: 'http' }, 'web'],
])('the endpoint of a pod’s %j is called %s', (ports, name) => {
  const pod = object('PodMonitor', 'v1', { selector: {}, podMetricsEndpoints: [ports] });
  const rules = readConfig([prometheus({}), pod]).document.scrape_configs[0]?.['relabel_configs'] as readonly {
    target_label?: string;
    replacement?: string;
  }[];
  expect(rules.find((rule) => rule.target_label === 'endpoint')?.replacement).toBe(name);
});

test.each<[string, object, object, string, string]>([
  [
    'scrape_protocols',
    { version: 'v2.55.0' },
    { scrapeProtocols: ['PrometheusText1.0.0', 'PrometheusProto'] },
    'spec.scrapeProtocols',
    'PrometheusText1.0.0 needs Prometheus 3.0 or newer, so it is left out',
  ],
  [
    'fallback_scrape_protocol',
    { version: 'v3.0.0-rc.1' },
    { fallbackScrapeProtocol: 'PrometheusProto' },
    'spec.fallbackScrapeProtocol',
    'needs Prometheus 3.0 or newer, so the field has no effect',
  ],
  [
    'scrape_native_histograms',
    { version: 'v3.8.0-rc.0' },
    { scrapeNativeHistograms: true },
    'spec.scrapeNativeHistograms',
    'needs Prometheus 3.8 or newer, so the field has no effect',
  ],
  [
    'native_histogram_min_bucket_factor',
    { version: 'v2.49.0' },
    { nativeHistogramMinBucketFactor: '1100m' },
    'spec.nativeHistogramMinBucketFactor',
    'needs Prometheus 2.50 or newer, so the field has no effect',
  ],
  [
    'track_timestamps_staleness',
    { version: 'v2.47.0' },
    { endpoints: [{ port: 'a', trackTimestampsStaleness: true }] },
    'spec.endpoints[0].trackTimestampsStaleness',
    'needs Prometheus 2.48 or newer, so the field has no effect',
  ],
])('%s, which %j does not know, is left out with a warning', (field, root, spec, at, message) => {
  const { document, findings } = readConfig([prometheus(root), serviceMonitor(spec)]);
  expect(findings).toEqual([`ServiceMonitor monitoring/web: ${at}: ${message}`]);
  const value = document.scrape_configs[0]?.[field];
  expect(value).toEqual(field === 'scrape_protocols' ? ['PrometheusProto'] : undefined);
});

test('a factor may be written as Kubernetes writes quantities', () => {
  const { document } = readConfig([prometheus({}), serviceMonitor({ nativeHistogramMinBucketFactor: '1100m' })]);
  expect(document.scrape_configs[0]?.['native_histogram_min_bucket_factor']).toBe(1.1);
});

test.each([
  ['v3.0.0-rc.1', 'always_scrape_classic_histograms'],
  ['v2.55.0', 'scrape_classic_histograms'],
])('Prometheus %s is told of classic histograms by %s', (version, field) => {
  const { document } = readConfig([prometheus({ version }), serviceMonitor({ scrapeClassicHistograms: true })]);
  expect(document.scrape_configs[0]?.[field]).toBe(true);
});
