import { describe, expect, test } from 'vitest';
import { takeIn } from '../operator/intake.ts';
import { renderWorld } from '../operator/render.ts';
import { createGrafanaAgentComponent } from '../roots/grafana-agent/component.ts';
import { metricsExpansion } from '../roots/grafana-agent/config/variables.ts';
import { createPrometheusComponent } from '../roots/prometheus/prometheus.ts';
import { objectsOf } from '../testing/world.ts';
import { describeFinding } from '../world/findings.ts';
import { worldOf } from '../world/world.ts';
import { checkScrapeTimes } from './checks.ts';
import { createLeaf } from './leaf.ts';

/*
 * The pods' own variables may stand in what tenants write, and each pod reads its file with its own values in their places.
 * What is judged is what it reads: a label called `${SHARD}` is one called `0` there, and no file with that is taken in.
 */
const grafana = 'monitoring.grafana.com/v1alpha1';
const coreos = 'monitoring.coreos.com/v1';
const everywhere = (...kinds: readonly string[]): object =>
  Object.fromEntries(kinds.flatMap((kind) => [`${kind}Selector`, `${kind}NamespaceSelector`].map((key) => [key, {}])));
const monitors = everywhere('serviceMonitor', 'podMonitor', 'probe');
const home = (name: string): object => ({ name, namespace: 'monitoring' });
const agents: readonly object[] = [
  {
    apiVersion: grafana,
    kind: 'GrafanaAgent',
    metadata: home('agent'),
    spec: {
      metrics: everywhere('instance'),
      logs: everywhere('instance'),
      integrations: { selector: {}, namespaceSelector: {} },
    },
  },
  { apiVersion: grafana, kind: 'MetricsInstance', metadata: home('main'), spec: monitors },
  { apiVersion: grafana, kind: 'LogsInstance', metadata: home('main'), spec: everywhere('podLogs') },
];
const prometheus = (spec: object = {}): object => ({
  apiVersion: coreos,
  kind: 'Prometheus',
  metadata: home('main'),
  spec: { ...monitors, ...everywhere('scrapeConfig'), ...spec },
});
const namespaces = ['monitoring', 'tenant'].map((name) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
}));

function rendered(objects: readonly object[]): { readonly findings: readonly string[]; readonly text: string } {
  const manifests = objectsOf([...namespaces, ...objects].map((each) => JSON.stringify(each)).join('\n---\n'));
  const components = [createGrafanaAgentComponent(), createPrometheusComponent()];
  const { configs, findings } = renderWorld(worldOf(takeIn(manifests).objects), { components, nowMs: 0 });
  return { findings: findings.map(describeFinding), text: Object.values(configs).join('\n') };
}

const tenants = (kind: string, spec: object, apiVersion = coreos): object => ({
  apiVersion,
  kind,
  metadata: { name: 'x', namespace: 'tenant' },
  spec,
});
const podMonitor = (endpoint: object): object =>
  tenants('PodMonitor', { selector: {}, podMetricsEndpoints: [{ port: 'http', ...endpoint }] });
const podLogs = (spec: object): object => tenants('PodLogs', { selector: {}, ...spec }, grafana);
const relabelled = (rule: object): object => podMonitor({ relabelings: [rule] });
const shard = `$\{SHARD}`;

describe('by the agent is refused', () => {
  test.each<[string, object, string]>([
    ['a number as a target', relabelled({ targetLabel: shard, replacement: 'b' }), 'relabelings[0].targetLabel'],
    ['of the reloader', relabelled({ targetLabel: '$(SHARD)', replacement: 'b' }), 'relabelings[0].targetLabel'],
    ['a dash in a target', relabelled({ targetLabel: `$\{POD_NAME}` }), 'relabelings[0].targetLabel'],
    ['a host in a target', relabelled({ targetLabel: `x$\{HOSTNAME}` }), 'relabelings[0].targetLabel'],
    ['what labels become', relabelled({ action: 'labelmap', replacement: shard }), 'relabelings[0].replacement'],
    ['a source', relabelled({ sourceLabels: [shard], targetLabel: 'a' }), 'relabelings[0].sourceLabels'],
    [
      'an expression that some shards cannot read',
      relabelled({ regex: `a{$(SHARD),3}`, targetLabel: 'a' }),
      'relabelings[0].regex',
    ],
    [
      'a rule after the scrape',
      podMonitor({ metricRelabelings: [{ targetLabel: shard }] }),
      'metricRelabelings[0].targetLabel',
    ],
    ['a rule of logs', podLogs({ relabelings: [{ targetLabel: shard }] }), 'relabelings[0].targetLabel'],
    [
      'an expression of a stage',
      podLogs({ pipelineStages: [{ regex: { expression: `(?P<a>b{9}{$(SHARD),3})` } }] }),
      'regex.expression',
    ],
    ['a key that is no label', tenants('Probe', probe({ [`a$(SHARD)`]: 'x', a0: 'y' })), 'labels[a$(SHARD)]'],
  ])('%s', (_, object, field) => {
    const { findings, text } = rendered([...agents, object]);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain(field);
    expect(text).not.toContain('/tenant/x');
  });
});

describe('is taken, since it is read as something fine', () => {
  test.each<[string, object]>([
    ['a target with a number in it', relabelled({ targetLabel: `shard_$\{SHARD}` })],
    ['the same of the reloader', relabelled({ targetLabel: 'shard_$(SHARD)' })],
    ['a group of the expression', relabelled({ regex: '(?P<a>.*)', targetLabel: `$\{1}_$1` })],
  ])('%s', (_, object) => {
    const { findings, text } = rendered([...agents, object]);
    expect(findings).toEqual([]);
    expect(text).toContain('podMonitor/tenant/x/0');
  });
});

describe('Prometheus', () => {
  test('reads only what its reloader fills in', () => {
    const legacy = prometheus({ nameValidationScheme: 'Legacy' });
    expect(rendered([legacy, relabelled({ targetLabel: '$(SHARD)' })]).findings[0]).toContain('targetLabel');
    expect(rendered([legacy, relabelled({ targetLabel: 'a$(SHARD)' })]).findings).toEqual([]);
    expect(rendered([legacy, relabelled({ targetLabel: shard, regex: '(?P<SHARD>a)' })]).findings).toEqual([]);
  });

  test('reads two keys as two', () => {
    const { findings, text } = rendered([prometheus(), podMonitor({ params: { '$(SHARD)': ['1'], 0: ['2'] } })]);
    expect(findings).toEqual([]);
    expect(text).toContain('"\\x24(SHARD)":');
  });
});

test('two jobs or remotes of a tenant never come to one name', () => {
  const jobs = JSON.stringify([{ job_name: 'a$(SHARD)' }, { job_name: 'a0' }]);
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'jobs', namespace: 'tenant' },
    stringData: { jobs },
  };
  const remoteWrite = ['r$(SHARD)', 'r0'].map((name) => ({ url: 'http://x/', name }));
  const spec = { additionalScrapeConfigs: { name: 'jobs', key: 'jobs' }, remoteWrite };
  const { findings, text } = rendered([...agents, secret, tenants('MetricsInstance', spec, grafana)]);
  expect(findings).toEqual([]);
  expect(text).toContain('job_name: "a\\x24(SHARD)"');
  expect(text).toContain('name: "r\\x24(SHARD)"');
});

test('of an administrator’s rule all is judged but what nobody knows before', () => {
  const jobs = [
    { job_name: 'fine', relabel_configs: [{ target_label: '$(MINE)', replacement: `$\{MINE}` }] },
    { job_name: 'wrong', relabel_configs: [{ target_label: '$(MINE)', regex: '(' }] },
  ];
  const stringData = { jobs: JSON.stringify(jobs) };
  const spec = { additionalScrapeConfigs: { name: 'jobs', key: 'jobs' } };
  const { findings } = rendered([
    ...agents,
    { apiVersion: 'v1', kind: 'Secret', metadata: home('jobs'), stringData },
    { apiVersion: grafana, kind: 'MetricsInstance', metadata: home('second'), spec },
  ]);
  expect(findings).toHaveLength(1);
  expect(findings[0]).toContain('additionalScrapeConfigs[1].relabel_configs[0]');
});

test('a timeout that is too long for some shards is refused', () => {
  const [regarding] = objectsOf(JSON.stringify(podMonitor({})));
  if (regarding === undefined) throw new Error('there is one');
  const found = (scrapeTimeout: string): readonly string[] => {
    const vault = { lookup: () => ({ state: 'object missing' }) as const, pathOf: () => '' };
    const leaf = createLeaf(regarding, vault, { missingFile: 'warn', expansion: metricsExpansion });
    const fields = { interval: 'interval', timeout: 'timeout' };
    checkScrapeTimes({ interval: '2m', timeout: scrapeTimeout, defaultInterval: '1m', fields }, leaf);
    return leaf.findings.map(({ field }) => field);
  };
  expect(found('1$(SHARD)s')).toEqual(['timeout']);
  expect(found('$(SHARD)ms')).toEqual([]);
  expect(found('$(POD_NAME)s')).toEqual(['timeout']);
});

test('of an integration no key is filled in', () => {
  const config = { [`a$(SHARD)`]: 1, a0: 2 };
  const { text } = rendered([
    ...agents,
    tenants('Integration', { name: 'x', type: { allNodes: false }, config }, grafana),
  ]);
  expect(text).toContain('"a\\x24(SHARD)": 1');
});

function probe(labels: object): object {
  return { prober: { url: 'prober' }, targets: { staticConfig: { static: ['x'], labels } } };
}
