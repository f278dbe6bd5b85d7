import { describe, expect, test } from 'vitest';
import { renderManifests } from '../../../operator/render.ts';
import { executeRelabelling } from '../../../relabel/execute.ts';
import type { RelabelRule } from '../../../relabel/rule.ts';
import { parseYaml } from '../../../scrape/yaml.ts';
import { objectsOf } from '../../../testing/world.ts';
import { describeFinding } from '../../../world/findings.ts';
import { createGrafanaAgentComponent } from '../component.ts';

/* What an instance of another namespace than the root's may say in the agent's own words. */

interface Options {
  readonly kind?: 'LogsInstance' | 'MetricsInstance';
  readonly namespace?: string;
  readonly deny?: boolean;
  readonly root?: string;
  readonly spec?: object;
}

function rendered(
  job: object,
  { kind = 'LogsInstance', namespace = 'shop', deny = false, root = '', spec = {} }: Options,
) {
  const at = kind === 'LogsInstance' ? 'logs' : 'metrics';
  const switches = `arbitraryFSAccessThroughSMs: { deny: ${deny} }`;
  const objects = [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'jobs', namespace },
      stringData: { jobs: JSON.stringify([{ job_name: 'canary', ...job }, { job_name: 'other' }]) },
    },
    {
      apiVersion: 'monitoring.grafana.com/v1alpha1',
      kind,
      metadata: { name: 'main', namespace },
      spec: { additionalScrapeConfigs: { name: 'jobs', key: 'jobs' }, ...spec },
    },
  ];
  const yaml = [
    `
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: m }
spec:
  metrics: { instanceSelector: {}, instanceNamespaceSelector: {}, ${switches} }
  logs: { instanceSelector: {}, instanceNamespaceSelector: {}, ${root} }`,
    `{ apiVersion: v1, kind: Namespace, metadata: { name: m } }`,
    ...(namespace === 'm' ? [] : [`{ apiVersion: v1, kind: Namespace, metadata: { name: ${namespace} } }`]),
    ...objects.map((object) => JSON.stringify(object)),
  ].join('\n---\n');
  const { configs, findings } = renderManifests(objectsOf(yaml), {
    components: [createGrafanaAgentComponent()],
    nowMs: 0,
  });
  const text = configs[at === 'logs' ? 'm/agent-logs-config/agent.yml' : 'm/agent-config/agent.yml'] ?? '';
  const document = parseYaml(text) as Readonly<Record<string, { configs?: readonly Instance[] }>>;
  const [instance] = document[at]?.configs ?? [];
  return {
    names: (instance?.scrape_configs ?? []).map(({ job_name }) => job_name),
    jobs: instance?.scrape_configs ?? [],
    told: findings.map((finding) => `${finding.severity} ${describeFinding(finding)}`),
  };
}

interface Instance {
  readonly scrape_configs?: readonly Job[];
}

interface Job {
  readonly job_name: string;
  readonly relabel_configs?: readonly RelabelRule[];
}

const stages = (...pipeline_stages: object[]): object => ({ pipeline_stages });
const environment = `'{{ env "TOKEN" }}'`.slice(1, -1);

describe('stages of an additional job', () => {
  test.each<[string, object]>([
    ['a template', { template: { source: 'a', template: environment } }],
    ['a template in capitals', { template: { source: 'a', Template: environment } }],
    ['a replacement', { replace: { expression: '(a)', replace: '{{ expandenv "$TOKEN" }}' } }],
    [
      'a template within',
      { match: { selector: '{a="b"}', stages: [{ template: { source: 'a', template: environment } }] } },
    ],
  ])('%s that reads the environment costs its job', (_, stage) => {
    const { names, told } = rendered(stages({ cri: null }, stage), {});
    expect(names).toEqual(['other']);
    expect(told).toEqual([
      "warning LogsInstance shop/main: spec.additionalScrapeConfigs[0].pipeline_stages[1]: would read the agents' environment: this job is left out",
    ]);
    // The administrator's own.
    expect(rendered(stages({ cri: null }, stage), { namespace: 'm' }).names).toEqual(['canary', 'other']);
  });

  test.each<[string, object]>([
    ['a template', { template: { source: 'a', template: '{{ .Value' } }],
    ['a regular expression', { regex: { expression: '(?=canary)' } }],
    ['a JMESPath expression', { json: { expressions: { a: 'canary[' } } }],
    ['a selector', { match: { selector: '{canary', stages: [{ cri: {} }] } }],
    ['a stage within', { match: { selector: '{a="b"}', stages: [{ regex: { expression: '(canary' } }] } }],
    ['a metric', { metrics: { canary: { type: 'Counter', config: { match_all: true, value: 'x', action: 'inc' } } } }],
    ['a duration', { multiline: { firstline: 'a', max_wait_time: '1d' } }],
  ])('%s that Promtail refuses costs its job, and nothing of the Secret is told', (_, stage) => {
    const { names, told } = rendered(stages(stage), {});
    expect(names).toEqual(['other']);
    expect(told).toEqual([
      'warning LogsInstance shop/main: spec.additionalScrapeConfigs[0].pipeline_stages[0]: is a stage that Promtail refuses: this job is left out',
    ]);
  });

  test('what Promtail takes stays, also what a PodLogs cannot say', () => {
    const { names, told, jobs } = rendered(
      stages(
        { cri: null },
        { docker: {} },
        { labels: { level: null, user: 'name' } },
        { json: { expressions: { level: null, user: 'a.b' }, drop_malformed: true } },
        { drop: { source: ['a', 'b'], separator: ';', expression: 'x' } },
        { static_labels: { env: 'prod', custom: '{{ x }}' } },
        { sampling: { rate: 0.1 } },
        { geoip: { db: '/x', source: 'ip' } },
        { metrics: { lines: { type: 'Histogram', source: 'a', config: { buckets: [0.1, 1, 10] } } } },
        { metrics: { lines: { type: 'Counter', config: { match_all: true, action: 'inc' } } } },
        { match: { selector: '{a="b"}', stages: [{ static_labels: { a: 'b' } }] } },
        { match: { selector: '{a="b"}', action: 'drop' } },
        { multiline: { firstline: 'a', max_wait_time: '3s' } },
        { labelallow: ['a'] },
        { labeldrop: ['filename'] },
        { limit: { rate: 10, burst: 20, drop: true, by_label_name: 'a' } },
        { replace: { expression: '(a)', replace: '{{ .Value | Hash "salt" }}' } },
        { template: { source: 'a', template: '{{ .Value | ToUpper }}' } },
        { timestamp: { source: 't', format: 'RFC3339' } },
        { tenant: { value: 'a' } },
        { pack: { labels: ['a'] } },
        { output: { source: 'a' } },
      ),
      {},
    );
    expect(told).toEqual([]);
    expect(names).toEqual(['canary', 'other']);
    expect(jobs[0]?.relabel_configs).toBeUndefined();
  });
});

describe('files in an additional job', () => {
  const token = '/var/run/secrets/kubernetes.io/serviceaccount/token';
  const path = (__path__: string): object => ({ static_configs: [{ targets: ['x'], labels: { __path__ } }] });

  test.each<[NonNullable<Options['kind']>, object, string]>([
    ['MetricsInstance', { bearer_token_file: token }, '.bearer_token_file'],
    ['MetricsInstance', { authorization: { credentials_file: token } }, '.credentials_file'],
    ['MetricsInstance', { basic_auth: { username: 'a', password_file: token } }, '.password_file'],
    ['MetricsInstance', { oauth2: { tls_config: { ca_file: token } } }, '.ca_file'],
    ['MetricsInstance', { kubernetes_sd_configs: [{ role: 'pod', kubeconfig_file: '/x' }] }, '.kubeconfig_file'],
    ['MetricsInstance', { consul_sd_configs: [{ canary_file: '/x' }] }, ''],
    ['MetricsInstance', { docker_sd_configs: [{ host: 'unix:///var/run/docker.sock' }] }, ''],
    ['MetricsInstance', { file_sd_configs: [{ files: ['/x'] }] }, '.file_sd_configs'],
    ['LogsInstance', path('/proc/self/environ'), '.static_configs[0].labels.__path__'],
    ['LogsInstance', path('/var/log/pods/{..,a}/b/*.log'), '.static_configs[0].labels.__path__'],
    ['LogsInstance', { journal: {} }, '.journal'],
    ['LogsInstance', { file_sd_configs: [{ files: ['/x'] }] }, '.file_sd_configs'],
    ['LogsInstance', { syslog: { tls_config: { key_file: '/x' } } }, '.key_file'],
    [
      'LogsInstance',
      stages({ match: { selector: '{a="b"}', stages: [{ geoip: { db: '/x' } }] } }),
      '.pipeline_stages[0]',
    ],
  ])('of a %s: %j', (kind, job, field) => {
    const { names, told } = rendered(job, { kind, deny: true });
    expect(names).toEqual(['other']);
    expect(told).toEqual([
      `warning ${kind} shop/main: spec.additionalScrapeConfigs[0]${field}: the root's metrics.arbitraryFSAccessThroughSMs.deny forbids files of the agent's container: this job is left out`,
    ]);
    expect(rendered(job, { kind, deny: true, namespace: 'm' }).names).toEqual(['canary', 'other']);
    expect(rendered(job, { kind }).names).toEqual(['canary', 'other']);
  });

  test('names that the user gives are none', () => {
    const job = { params: { log_file: ['a'] }, static_configs: [{ targets: ['a'], labels: { key_file: 'a' } }] };
    expect(rendered(job, { kind: 'MetricsInstance', deny: true }).told).toEqual([]);
  });

  test('whatever its rules come to, only logs of pods are tailed', () => {
    const rule = { source_labels: ['path'], target_label: '__path__' };
    const job = { kubernetes_sd_configs: [{ role: 'pod' }], relabel_configs: [rule] };
    const after = (from: string, options: Options): string | undefined => {
      const labels = { path: from, __meta_kubernetes_namespace: 'shop', __address__: 'x' };
      return executeRelabelling(labels, rendered(job, options).jobs[0]?.relabel_configs ?? [])?.['__path__'];
    };
    expect(after('/proc/self/environ', { deny: true })).toBeUndefined();
    expect(after('/proc/self/environ', {})).toBe('/proc/self/environ');
    expect(after('/var/log/pods/*x/a/*.log', { deny: true })).toBe('/var/log/pods/*x/a/*.log');
    const own = { deny: true, root: 'ignoreNamespaceSelectors: true' };
    expect(after('/var/log/pods/*x/a/*.log', own)).toBe('/var/log/pods/shop_*x/a/*.log');
    expect(after('/var/log/pods/other_x/a/*.log', own)).toBeUndefined();
    // Lines that come from elsewhere have no path.
    const pushed = rendered({ loki_push_api: {} }, { deny: true }).jobs[0]?.relabel_configs ?? [];
    expect(executeRelabelling({ a: 'b' }, pushed)).toEqual({ a: 'b' });
  });
});

test.each<[NonNullable<Options['kind']>, object, string]>([
  ['MetricsInstance', { remoteWrite: [{ url: 'http://x/', bearerTokenFile: '/x' }] }, 'remoteWrite[0].bearerTokenFile'],
  ['LogsInstance', { clients: [{ url: 'http://x/', bearerTokenFile: '/x' }] }, 'clients[0].bearerTokenFile'],
  ['LogsInstance', { clients: [{ url: 'http://x/', tlsConfig: { caFile: '/x' } }] }, 'clients[0].tlsConfig.caFile'],
])('a %s may not send them either: %j', (kind, spec, field) => {
  const { jobs, told } = rendered({}, { kind, spec, deny: true });
  expect(jobs).toEqual([]);
  expect(told).toEqual([
    `error ${kind} shop/main: spec.${field}: the root's metrics.arbitraryFSAccessThroughSMs.deny forbids files of the agent's container: use a Secret`,
  ]);
  expect(rendered({}, { kind, spec, deny: true, namespace: 'm' }).told).toEqual([]);
  expect(rendered({}, { kind, spec }).told).toEqual([]);
});
