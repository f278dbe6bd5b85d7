import { expect, test } from 'vitest';
import { prometheus, readConfig, secret, serviceMonitor } from '../../../testing/job.ts';

const own = {
  apiVersion: 'monitoring.coreos.com/v1alpha1',
  kind: 'ScrapeConfig',
  metadata: { name: 'own', namespace: 'monitoring' },
  spec: { staticConfigs: [{ targets: ['a:1'], labels: { 'data center': 'x' } }] },
};
const probe = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'Probe',
  metadata: { name: 'ping', namespace: 'monitoring' },
  spec: {
    prober: { url: 'blackbox:9115' },
    targets: { staticConfig: { static: ['a'], labels: { 'data-center': 'x' } } },
  },
};
const endpoint = {
  port: 'http',
  relabelings: [{ sourceLabels: ['a.b'], targetLabel: 'data-center' }],
  metricRelabelings: [{ action: 'labelmap', regex: 'a', replacement: 'my-$1' }],
};
const objects = (root: object): readonly object[] => [
  prometheus({ scrapeConfigSelector: {}, externalLabels: { 'my-cluster': 'a', fine: 'b' }, ...root }),
  serviceMonitor({}, endpoint),
  own,
  probe,
];
const labels = (root: object): unknown =>
  (readConfig(objects(root)).document['global'] as Readonly<Record<string, unknown>>)['external_labels'];

test('Prometheus 3 takes any text for the name of a label', () => {
  const { document, findings } = readConfig(objects({ version: 'v3.0.0' }));
  expect(findings).toEqual([]);
  expect(labels({ version: 'v3.0.0' })).toMatchObject({ 'my-cluster': 'a', fine: 'b' });
  expect(document.scrape_configs.map(({ job_name }) => job_name)).toEqual([
    'serviceMonitor/monitoring/web/0',
    'probe/monitoring/ping',
    'scrapeConfig/monitoring/own',
  ]);
});

test.each([
  ['is of version 2', { version: 'v2.55.1' }],
  ['is about to become version 3', { version: 'v3.0.0-rc.1' }],
  ['keeps to the old names', { version: 'v3.13.1', nameValidationScheme: 'Legacy' }],
])('where Prometheus %s, a label with a dash costs itself or its monitor, never the root', (_, root) => {
  const { document, findings } = readConfig(objects(root));
  expect(findings).toEqual(
    expect.arrayContaining([
      'Prometheus monitoring/main: spec.externalLabels[my-cluster]: "my-cluster" is no label name of this version and its nameValidationScheme: it is left out',
      'ServiceMonitor monitoring/web: spec.endpoints[0].relabelings[0].sourceLabels: "a.b" is no label name',
      'ServiceMonitor monitoring/web: spec.endpoints[0].metricRelabelings[0].replacement: "my-$1" makes no label name',
      'Probe monitoring/ping: spec.targets.staticConfig.labels[data-center]: "data-center" is no label name',
      'ScrapeConfig monitoring/own: spec.staticConfigs[0].labels[data center]: "data center" is no label name',
    ]),
  );
  expect(labels(root)).toEqual({
    fine: 'b',
    prometheus: 'monitoring/main',
    prometheus_replica: '$(POD_NAME)',
  });
  expect(document.scrape_configs).toEqual([]);
});

test('an empty name is none, whatever the version', () => {
  expect(readConfig([prometheus({ externalLabels: { '': 'a' } }), serviceMonitor({})]).findings).toEqual([
    'Prometheus monitoring/main: spec.externalLabels[]: "" is no label name at all: it is left out',
  ]);
});

test('additional jobs are judged by the names that hold for them', () => {
  const job = (name: string, more: object): object => ({
    job_name: name,
    relabel_configs: [{ target_label: 'my-label', replacement: 'a' }],
    ...more,
  });
  const jobs = [job('as-the-root', {}), job('old', { metric_name_validation_scheme: 'legacy' })];
  const root = (version: string): object =>
    prometheus({ version, additionalScrapeConfigs: { name: 'jobs', key: 'jobs' } });
  const names = (version: string): readonly unknown[] =>
    readConfig([root(version), secret('jobs', { jobs: JSON.stringify(jobs) })]).document.scrape_configs.map(
      ({ job_name }) => job_name,
    );
  expect(names('v3.0.0')).toEqual(['as-the-root']);
  expect(names('v2.55.0')).toEqual([]);
});
