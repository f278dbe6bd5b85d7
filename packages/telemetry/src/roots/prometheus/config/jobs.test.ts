import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { anyText } from '../../../../../../tools/any-text.ts';
import { sizeBytes } from '../../../scrape/sizes.ts';
import { prometheus, readConfig, readText, secret, serviceMonitor } from '../../../testing/job.ts';
import { selectorText } from './monitors/selector.ts';

const limits = (root: object, monitor: object): readonly unknown[] => {
  const { document } = readConfig([prometheus(root), serviceMonitor(monitor)]);
  const global = document['global'] as Readonly<Record<string, unknown>>;
  return [global['sample_limit'], document.scrape_configs[0]?.['sample_limit']];
};

test.each<[string, object, object, readonly unknown[]]>([
  ['nobody says anything', {}, {}, [undefined, undefined]],
  ['the monitor has one', {}, { sampleLimit: 5 }, [undefined, 5]],
  ['the root has one for all', { sampleLimit: 7 }, { sampleLimit: 5 }, [7, 5]],
  ['the root enforces one', { enforcedSampleLimit: 4 }, {}, [4, undefined]],
  ['the enforced one is lower', { enforcedSampleLimit: 4 }, { sampleLimit: 5 }, [4, 4]],
  ['the enforced one is higher', { enforcedSampleLimit: 6 }, { sampleLimit: 5 }, [6, 5]],
  ['the root asks for more than it enforces', { sampleLimit: 9, enforcedSampleLimit: 6 }, {}, [6, undefined]],
  ['0 is no limit', { enforcedSampleLimit: 6 }, { sampleLimit: 0 }, [6, undefined]],
])('the limit of samples when %s', (_, root, monitor, expected) => {
  expect(limits(root, monitor)).toEqual(expected);
});

test.each([
  ['10MB', 10 * 1024 ** 2],
  ['10MiB', 10 * 1024 ** 2],
  ['1KB', 1024],
  ['5B', 5],
  ['0', 0],
  ['much', undefined],
])('a size of %s is %s bytes', (text, bytes) => {
  expect(sizeBytes(text)).toBe(bytes);
});

test('a selector in the API server’s words', () => {
  const matchExpressions = [
    { key: 'a', operator: 'In', values: ['x', 'y'] },
    { key: 'b', operator: 'NotIn', values: ['z'] },
    { key: 'c', operator: 'Exists' },
    { key: 'd', operator: 'DoesNotExist' },
  ];
  expect(selectorText({ matchLabels: { z: '1', y: '2' }, matchExpressions })).toBe(
    'y=2,z=1,a in (x,y),b notin (z),c,!d',
  );
});

const logins = secret('logins', { user: 'alice', password: 'hunter2' });
const password = { name: 'logins', key: 'password' };
const uuid = '6f4b1c3e-0d2a-4f5b-9c7d-8e9f0a1b2c3d';

test.each<[string, object, readonly string[]]>([
  ['takes one way to log in', { basicAuth: { password } }, []],
  [
    'refuses two',
    { basicAuth: { password }, bearerTokenSecret: password },
    ['spec.endpoints[0]: only one way to log in may be set, not basic_auth and bearer_token'],
  ],
  [
    'refuses a timeout longer than its interval',
    { interval: '5s', scrapeTimeout: '10s' },
    ['spec.endpoints[0].scrapeTimeout: 10s is longer than the scrape interval of 5s'],
  ],
  [
    'refuses a timeout longer than the root’s interval',
    { scrapeTimeout: '1m' },
    ['spec.endpoints[0].scrapeTimeout: 1m is longer than the scrape interval of 30s'],
  ],
  ['refuses noProxy without a proxy', { noProxy: 'localhost' }, ['spec.endpoints[0].noProxy: needs a proxyUrl']],
  [
    'refuses headers for no proxy',
    { proxyConnectHeader: { a: [password] } },
    ['spec.endpoints[0].proxyConnectHeader: needs proxyUrl or proxyFromEnvironment'],
  ],
  [
    'refuses a certificate without its key',
    { tlsConfig: { cert: { secret: password } } },
    ['spec.endpoints[0].tlsConfig: a certificate and its key belong together: set both cert and keySecret'],
  ],
  [
    'refuses a key that is none',
    { tlsConfig: { cert: { secret: password }, keySecret: password } },
    ['spec.endpoints[0].tlsConfig.cert: and keySecret are no certificate in PEM form and its key'],
  ],
  [
    'refuses an endless expression',
    { relabelings: [{ regex: 'a{1001}', action: 'keep' }] },
    [
      'spec.endpoints[0].relabelings[0].regex: is no regular expression of RE2: error parsing regexp: invalid repeat count: `{1001}`',
    ],
  ],
  [
    'refuses a modulus of 0',
    { relabelings: [{ targetLabel: 'a', modulus: 0, action: 'hashmod' }] },
    ['spec.endpoints[0].relabelings[0].modulus: hashmod needs a modulus'],
  ],
])('an endpoint %s', (_, endpoint, problems) => {
  const { document, findings } = readConfig([
    logins,
    prometheus({}),
    serviceMonitor({}, { port: 'http', ...endpoint }),
  ]);
  expect(findings).toEqual(problems.map((problem) => `ServiceMonitor monitoring/web: ${problem}`));
  expect(document.scrape_configs).toHaveLength(problems.length === 0 ? 1 : 0);
});

test('a class’ login is for those who have none of their own, files of the container included', () => {
  const root = prometheus({
    scrapeClasses: [{ name: 'mesh', default: true, authorization: { credentials: password } }],
  });
  const job = (endpoint: object) =>
    readConfig([logins, root, serviceMonitor({}, { port: 'http', ...endpoint })]).document.scrape_configs[0];
  expect(job({})?.['authorization']).toEqual({ type: 'Bearer', credentials: 'hunter2' });
  expect(job({ authorization: { type: 'Token' } })?.['authorization']).toEqual({
    type: 'Token',
    credentials: 'hunter2',
  });
  expect(job({ bearerTokenFile: '/token' })).toMatchObject({ bearer_token_file: '/token' });
  expect(job({ bearerTokenFile: '/token' })).not.toHaveProperty('authorization');
});

test.each<[string, object, readonly string[]]>([
  [
    'two remote writes of one name',
    {
      remoteWrite: [
        { url: 'http://a', name: 'a' },
        { url: 'http://b', name: 'a' },
      ],
    },
    ['spec.remoteWrite[1].name: another remote write is called "a" already'],
  ],
  [
    'half a signature',
    { remoteWrite: [{ url: 'http://a', sigv4: { accessKey: password } }] },
    ['spec.remoteWrite[0].sigv4: accessKey and secretKey belong together'],
  ],
  [
    'two ways to log in',
    { remoteWrite: [{ url: 'http://a', basicAuth: { password }, sigv4: {} }] },
    ['spec.remoteWrite[0]: only one way to log in may be set, not basic_auth and sigv4'],
  ],
  [
    'an identity of Azure that is none',
    { remoteWrite: [{ url: 'http://a', azureAd: { cloud: 'AzurePublic' } }] },
    ['spec.remoteWrite[0].azureAd: needs an identity: managedIdentity, oauth, sdk or workloadIdentity'],
  ],
  [
    'two identities of Azure',
    { remoteWrite: [{ url: 'http://a', azureAd: { managedIdentity: { clientId: uuid }, sdk: { tenantId: 'b' } } }] },
    ['spec.remoteWrite[0].azureAd: takes one identity, not managed_identity and sdk'],
  ],
  [
    'an identity of Azure and a password',
    { remoteWrite: [{ url: 'http://a', basicAuth: { password }, azureAd: { managedIdentity: {} } }] },
    ['spec.remoteWrite[0]: only one way to log in may be set, not basic_auth and azuread'],
  ],
  ['an address that is none', { remoteWrite: [{ url: 'http://a:b' }] }, ['spec.remoteWrite[0].url: is no URL']],
  [
    'two default classes',
    {
      scrapeClasses: [
        { name: 'a', default: true },
        { name: 'b', default: true },
      ],
    },
    ['spec.scrapeClasses: only one may be the default, not a and b'],
  ],
  [
    'a version that nobody tries any more',
    { version: 'v2.44.0' },
    [
      'spec.version: "v2.44.0" is older than 2.45.0, the oldest version that this operator configures: choose a newer one',
    ],
  ],
  [
    'a pre-release before that version',
    { version: 'v2.45.0-rc.1' },
    [
      'spec.version: "v2.45.0-rc.1" is older than 2.45.0, the oldest version that this operator configures: choose a newer one',
    ],
  ],
  [
    'a label by which it is told apart that is none',
    { version: 'v2.55.0', replicaExternalLabelName: 'pod-name' },
    ['spec.replicaExternalLabelName: "pod-name" is no label name'],
  ],
  [
    'jobs that are no list',
    { additionalScrapeConfigs: { name: 'logins', key: 'user' } },
    ['spec.additionalScrapeConfigs: must hold a YAML list of scrape jobs'],
  ],
])('a root is refused for %s', (_, spec, problems) => {
  const { document, findings } = readConfig([logins, prometheus(spec), serviceMonitor({})]);
  expect(findings).toEqual(problems.map((problem) => `Prometheus monitoring/main: ${problem}`));
  expect(document).toEqual({});
});

test.each<[string, object, object]>([
  ['the machine itself', { managedIdentity: {} }, { managed_identity: {} }],
  [
    'a machine',
    { cloud: 'AzureChina', managedIdentity: { clientId: uuid } },
    { cloud: 'AzureChina', managed_identity: { client_id: uuid } },
  ],
  [
    'an application',
    { oauth: { clientId: uuid, clientSecret: password, tenantId: 'b' }, scope: 'c' },
    { oauth: { client_id: uuid, client_secret: 'hunter2', tenant_id: 'b' }, scope: 'c' },
  ],
  ['a kit', { sdk: { tenantId: 'b' } }, { sdk: { tenant_id: 'b' } }],
  [
    'a workload',
    { workloadIdentity: { clientId: uuid, tenantId: uuid } },
    { workload_identity: { client_id: uuid, tenant_id: uuid } },
  ],
])('a remote write tells Azure that it is %s', (_, azureAd, azuread) => {
  const { document, findings } = readConfig([logins, prometheus({ remoteWrite: [{ url: 'http://a', azureAd }] })]);
  expect(findings).toEqual([]);
  expect(document['remote_write']).toEqual([{ url: 'http://a', azuread }]);
});

test('a younger identity than Prometheus leaves a remote write without any, and is refused', () => {
  const remoteWrite = [{ url: 'http://a', azureAd: { sdk: { tenantId: 'b' } } }];
  expect(readConfig([prometheus({ version: 'v2.50.0', remoteWrite })]).findings).toEqual([
    'Prometheus monitoring/main: spec.remoteWrite[0].azureAd.sdk: needs Prometheus 2.52 or newer, so the field has no effect',
    'Prometheus monitoring/main: spec.remoteWrite[0].azureAd: needs an identity: managedIdentity, oauth, sdk or workloadIdentity',
  ]);
});

test('no dollar sign of a secret is ever expanded', () => {
  const key = (name: string) => ({ name: 'dollars', key: name });
  const oauth2 = { clientId: { secret: key('a') }, clientSecret: key('a'), tokenUrl: 'http://t' };
  const remoteWrite = [
    { url: 'http://a', oauth2, proxyUrl: 'http://p', proxyConnectHeader: { h: [key('a')] } },
    { url: 'http://b', basicAuth: { username: key('a'), password: key('a') } },
    { url: 'http://c', authorization: { credentials: key('a') } },
    { url: 'http://d', sigv4: { accessKey: key('a'), secretKey: key('a') } },
    { url: 'http://e', azureAd: { oauth: { clientId: uuid, clientSecret: key('a'), tenantId: 'b' } } },
  ];
  const text = readText([
    secret('dollars', { a: 'p$(SHARD)' }),
    prometheus({ remoteWrite }),
    serviceMonitor({}, { port: 'http', bearerTokenSecret: key('a') }),
  ]);
  expect(text.match(/p\\x24\(SHARD\)/g)).toHaveLength(10);
  expect(text).not.toContain('p$(SHARD)');
});

test.each<[string, object, object | undefined]>([
  ['nothing is said of it', {}, undefined],
  ['nothing is said of it and the second protocol is chosen', { messageVersion: 'V2.0' }, undefined],
  ['it is mentioned', { metadataConfig: {} }, { send: false }],
  [
    'it is mentioned with an interval',
    { metadataConfig: { sendInterval: '1m' } },
    { send: false, send_interval: '1m' },
  ],
  ['it is asked for', { metadataConfig: { send: true } }, { send: true }],
  [
    'the second protocol sends it with the samples',
    { messageVersion: 'V2.0', metadataConfig: { send: true } },
    { send: false },
  ],
])('what a remote write does with metadata when %s', (_, more, expected) => {
  const { document, findings } = readConfig([prometheus({ remoteWrite: [{ url: 'http://a', ...more }] })]);
  expect(findings).toEqual([]);
  const [written] = document['remote_write'] as readonly Readonly<Record<string, unknown>>[];
  expect(written?.['metadata_config']).toEqual(expected);
});

test('logs without a path go where the pods have a volume for them', () => {
  const logs = { queryLogFile: './queries.log', scrapeFailureLogFile: '/data/failures.log' };
  expect(readConfig([prometheus(logs)]).document['global']).toMatchObject({
    query_log_file: '/var/log/prometheus/queries.log',
    scrape_failure_log_file: '/data/failures.log',
  });
  expect(readConfig([prometheus({ version: 'v2.54.0', ...logs })]).findings).toEqual([
    'Prometheus monitoring/main: spec.scrapeFailureLogFile: needs Prometheus 2.55 or newer, so the field has no effect',
  ]);
});

test('no secret is ever part of what is told', () => {
  const told = readFileSync(new URL('../../../testdata/prometheus-not-rendered.golden.txt', import.meta.url), 'utf8');
  expect(told).not.toContain('no certificate"');
  const { findings } = readConfig([
    secret('logins', { user: 'canary-1: [', password: 'canary-2' }),
    prometheus({ additionalScrapeConfigs: { name: 'logins', key: 'user' } }),
    serviceMonitor({}, { port: 'http', tlsConfig: { ca: { secret: password } } }),
  ]);
  expect(findings).toHaveLength(2);
  expect(JSON.stringify(findings)).not.toContain('canary');
});

test('whatever a text holds, it stays one value of its field', () => {
  const text = fc.oneof(
    anyText({ minLength: 1 }),
    fc.constantFrom(
      '$(SHARD)',
      '$' + '{ENV}',
      'a\nb: c',
      '"',
      ': ',
      '# ',
      '{{ }}',
      '- a',
      '!!js/x',
      '*a',
      '&a',
      'yes',
      '0x1',
    ),
  );
  fc.assert(
    fc.property(text, text, (one, other) => {
      const endpoint = {
        port: 'http',
        path: one,
        params: { [other]: [one] },
        relabelings: [{ targetLabel: 'a', replacement: other }],
      };
      const { document } = readConfig([prometheus({ externalLabels: { a: one } }), serviceMonitor({}, endpoint)]);
      expect(document['global']).toMatchObject({ external_labels: { a: one } });
      expect(document.scrape_configs).toHaveLength(1);
      expect(document.scrape_configs[0]).toMatchObject({ metrics_path: one, params: { [other]: [one] } });
      const rules = document.scrape_configs[0]?.['relabel_configs'] as readonly object[];
      expect(rules).toContainEqual({ target_label: 'a', replacement: other, action: 'replace' });
    }),
    { numRuns: 40 * inject('thoroughness') },
  );
});

test('the name of a ScrapeConfig’s job has the last word over its class', () => {
  const root = prometheus({
    version: 'v3.13.2',
    scrapeConfigSelector: {},
    scrapeClasses: [{ name: 'a', default: true, relabelings: [{ targetLabel: 'job', replacement: 'of-the-class' }] }],
  });
  const config = {
    apiVersion: 'monitoring.coreos.com/v1alpha1',
    kind: 'ScrapeConfig',
    metadata: { name: 'own', namespace: 'monitoring' },
    spec: {
      jobName: 'own',
      staticConfigs: [{ targets: ['a:1'] }],
      relabelings: [{ targetLabel: 'job', replacement: 'of-the-user' }],
    },
  };
  const rules = readConfig([root, config]).document.scrape_configs[0]?.['relabel_configs'] as readonly object[];
  expect(rules.slice(1)).toEqual([
    { target_label: 'job', replacement: 'of-the-class', action: 'replace' },
    { target_label: 'job', replacement: 'own' },
    { target_label: 'job', replacement: 'of-the-user', action: 'replace' },
  ]);
});
