import { expect, test } from 'vitest';
import type { PodLogs } from '../../../../resources/pod-logs.ts';
import type { PodMonitor, PodMonitorSpec } from '../../../../resources/pod-monitor.ts';
import type { Probe } from '../../../../resources/probe.ts';
import type { ServiceMonitor } from '../../../../resources/service-monitor.ts';
import type { Fields } from '../../../../scrape/fields/table.ts';
import type { Section } from '../../../../scrape/http.ts';
import { createLeaf, type Leaf } from '../../../../scrape/leaf.ts';
import { objectsOf } from '../../../../testing/world.ts';
import { podLogsJobs } from '../logs/pod-logs.ts';
import { podMonitorJobs } from '../monitors/pod-monitor.ts';
import { probeJobs } from '../monitors/probe.ts';
import { serviceMonitorJobs } from '../monitors/service-monitor.ts';
import { logsSettings, metricsSettings } from '../settings.ts';
import type { Scrape } from './endpoint.ts';
import { podMonitorFields } from './monitors.ts';

const root = { metadata: { name: 'main', namespace: 'a' }, spec: {} } as never;
const metrics = metricsSettings(root, {
  apiServer: undefined,
  sharing: { shards: 1, placement: [{ by: 'hashmod', modulus: 1 }] },
});
const logs = logsSettings(root, undefined);

interface Rendered {
  readonly jobs: readonly Section[];
  readonly findings: readonly string[];
}

/** Whatever a server let in whose definitions are older or younger than ours. */
function rendered<Kind, Settings>(
  spec: object,
  render: (object: Kind, settings: Settings, leaf: Leaf) => readonly Section[],
  settings: Settings,
): Rendered {
  const [object] = objectsOf(
    JSON.stringify({ apiVersion: 'v1', kind: 'X', metadata: { name: 'b', namespace: 'a' }, spec }),
  );
  if (object === undefined) throw new Error('it is there');
  const vault = { lookup: () => ({ state: 'found', bytes: Buffer.from('s') }) as const, pathOf: () => '/file' };
  const leaf = createLeaf(object, vault, { missingFile: 'reject', expansion: 'any' });
  const jobs = render(object as Kind, settings, leaf);
  return { jobs, findings: leaf.findings.map(({ severity, field }) => `${severity} ${field}`) };
}

const younger = { trackTimestampsStaleness: true, noProxy: 'a', fromTheFuture: 1 };
const login = {
  clientId: { secret: { name: 's', key: 'k' } },
  clientSecret: { name: 's', key: 'k' },
  tokenUrl: 'http://a',
};
const oauth2 = { ...login, proxyFromEnvironment: true };

test('the owner of a ServiceMonitor is told of every field of which nothing comes', () => {
  const spec = {
    selector: {},
    endpoints: [{ port: 'http' }, { ...younger, oauth2 }],
    keepDroppedTargets: 3,
    selectorMechanism: 'RoleSelector',
    serviceDiscoveryRole: 'EndpointSlice',
  };
  expect(rendered<ServiceMonitor, typeof metrics>(spec, serviceMonitorJobs, metrics).findings).toEqual([
    'warning spec.endpoints[1].trackTimestampsStaleness',
    'warning spec.endpoints[1].noProxy',
    'warning spec.endpoints[1].fromTheFuture',
    'warning spec.endpoints[1].oauth2.proxyFromEnvironment',
    'warning spec.keepDroppedTargets',
    'warning spec.selectorMechanism',
    'warning spec.serviceDiscoveryRole',
  ]);
});

test('what says nothing, and what holds anyway, is no wish', () => {
  const spec = {
    selector: {},
    podMetricsEndpoints: [{ noProxy: '' }],
    selectorMechanism: 'RelabelConfig',
    scrapeProtocols: [],
    scrapeClass: '',
  };
  expect(rendered<PodMonitor, typeof metrics>(spec, podMonitorJobs, metrics).findings).toEqual([]);
});

test('the owner of a Probe hears of its prober, too', () => {
  const spec = { prober: { url: 'a:1', ...younger }, targets: { staticConfig: { static: ['b'], fromTheFuture: 1 } } };
  expect(rendered<Probe, typeof metrics>(spec, probeJobs, metrics).findings).toEqual([
    'warning spec.prober.trackTimestampsStaleness',
    'warning spec.prober.noProxy',
    'warning spec.prober.fromTheFuture',
    'warning spec.targets.staticConfig.fromTheFuture',
  ]);
});

test('the owner of a PodLogs hears of the members of stages and their metrics', () => {
  const metric = { type: 'Counter', action: 'inc', fromTheFuture: 1 };
  const spec = {
    selector: {},
    pipelineStages: [{ drop: { source: 'a', separator: ';' } }, { metrics: { lines_total: metric } }],
    fromTheFuture: 1,
  };
  const { jobs, findings } = rendered<PodLogs, typeof logs>(spec, podLogsJobs, logs);
  expect(findings).toEqual([
    'warning spec.fromTheFuture',
    'warning spec.pipelineStages[0].drop.separator',
    'warning spec.pipelineStages[1].metrics.lines_total.fromTheFuture',
  ]);
  expect(jobs[0]?.['pipeline_stages']).toEqual([
    { drop: { source: 'a' } },
    { metrics: { lines_total: { type: 'Counter', config: { action: 'inc' } } } },
  ]);
});

test('lines stand in the order in which the Agent Operator had them', () => {
  const endpoint = {
    tlsConfig: { insecureSkipVerify: true },
    bearerTokenFile: '/token',
    enableHttp2: false,
    proxyUrl: 'http://proxy',
    params: { a: ['b'] },
    scheme: 'HTTPS',
    path: '/m',
    scrapeTimeout: '10s',
    interval: '30s',
    honorTimestamps: true,
  };
  const spec = { bodySizeLimit: '1MB', labelLimit: 2, sampleLimit: 1, endpoints: [endpoint], selector: {} };
  const [job] = rendered<ServiceMonitor, typeof metrics>(spec, serviceMonitorJobs, metrics).jobs;
  expect(Object.keys(job ?? {}).join(' ')).toBe(
    'job_name honor_labels honor_timestamps scrape_interval scrape_timeout metrics_path scheme params proxy_url ' +
      'enable_http2 bearer_token_file tls_config sample_limit label_limit body_size_limit kubernetes_sd_configs relabel_configs',
  );
});

test('a limit of the root is never exceeded, and 0 is none', () => {
  const limited = { ...metrics, enforcedSampleLimit: 5 };
  const limitOf = (sampleLimit: number): unknown =>
    rendered<PodMonitor, typeof metrics>(
      { selector: {}, podMetricsEndpoints: [{}], sampleLimit },
      podMonitorJobs,
      limited,
    ).jobs[0]?.['sample_limit'];
  expect([0, 3, 9].map(limitOf)).toEqual([5, 3, 5]);
});

test('an OAuth2 that lacks what it needs is told where', () => {
  const spec = { selector: {}, podMetricsEndpoints: [{ oauth2: { ...login, tokenUrl: '' } }] };
  expect(rendered<PodMonitor, typeof metrics>(spec, podMonitorJobs, metrics).findings).toEqual([
    'error spec.podMetricsEndpoints[0].oauth2.tokenUrl',
  ]);
});

test('a table without a field of its kind does not compile', () => {
  const { scrapeClass: _, ...others } = podMonitorFields;
  // @ts-expect-error -- nobody has decided about the class.
  const incomplete: Fields<PodMonitorSpec, Scrape> = others;
  expect(incomplete).not.toHaveProperty('scrapeClass');
});
