import { expect, test } from 'vitest';
import { renderManifests } from '../../operator/render.ts';
import type { GrafanaAgentSpec } from '../../resources/grafana-agent.ts';
import type { IntegrationSpec } from '../../resources/integration.ts';
import type { LogsInstanceSpec } from '../../resources/logs-instance.ts';
import type { MetricsInstanceSpec } from '../../resources/metrics-instance.ts';
import type { Fields } from '../../scrape/fields/table.ts';
import { objectsOf } from '../../testing/world.ts';
import { createGrafanaAgentComponent } from './component.ts';
import { integrationFields, logsInstanceFields, metricsInstanceFields } from './config/fields/instances.ts';
import { type GlobalPlace, grafanaAgentFields } from './config/fields/roots.ts';

interface Specs {
  readonly agent?: object;
  readonly metrics?: object;
  readonly logs?: object;
  readonly integration?: object;
}

const type = { allNodes: false, unique: false };
const integrated = { name: 'agent', type, config: { anyWord: 1 } };

/** A root with one of each, whose specs say in addition what is given. */
function built({ agent, metrics, logs, integration }: Specs): ReturnType<typeof renderManifests> {
  const selects = { instanceSelector: {}, instanceNamespaceSelector: {} };
  const spec = { metrics: selects, logs: selects, integrations: { selector: {}, namespaceSelector: {} }, ...agent };
  const objects = [
    grafana('GrafanaAgent', spec),
    grafana('MetricsInstance', metrics ?? {}),
    grafana('LogsInstance', logs ?? {}),
    grafana('Integration', { ...integrated, ...integration }),
  ].flatMap((text) => objectsOf(text));
  return renderManifests(objects, { components: [createGrafanaAgentComponent()], nowMs: 0 });
}

function grafana(kind: string, spec: object): string {
  const metadata = { name: 'a', namespace: 'x' };
  return JSON.stringify({ apiVersion: 'monitoring.grafana.com/v1alpha1', kind, metadata, spec });
}

function told(specs: Specs): readonly string[] {
  return built(specs).findings.map(({ severity, regarding, field }) => `${severity} ${regarding.kind} ${field}`);
}

function configOf(specs: Specs, name: string): string {
  const secret = built(specs).objects.find(({ metadata }) => metadata.name === name) as { data?: object } | undefined;
  return Buffer.from(String(Object.values(secret?.data ?? {})[0]), 'base64').toString();
}

test('the owner of a root is told of every field of which nothing comes', () => {
  const agent = {
    podMetadata: { name: 'b', labels: { c: 'd' } },
    apiServer: { host: 'https://e', fromTheFuture: 1 },
    fromTheFuture: 1,
  };
  expect(told({ agent })).toEqual([
    'warning GrafanaAgent spec.apiServer.fromTheFuture',
    'warning GrafanaAgent spec.fromTheFuture',
    'warning GrafanaAgent spec.podMetadata.name',
  ]);
});

test('so are those of instances and integrations, whose own words nobody judges', () => {
  const metrics = { minWALTime: '1m', fromTheFuture: 1 };
  const logs = { targetConfig: { syncPeriod: '1m', fromTheFuture: 1 } };
  const integration = { type: { ...type, fromTheFuture: 1 } };
  expect(told({ metrics, logs, integration })).toEqual([
    'warning MetricsInstance spec.fromTheFuture',
    'warning LogsInstance spec.targetConfig.fromTheFuture',
    'warning Integration spec.type.fromTheFuture',
  ]);
});

test('a value is looked at where it stands', () => {
  const metrics = { remoteFlushDeadline: 'soon' };
  const logs = { targetConfig: { syncPeriod: 'soon' } };
  expect(told({ agent: { apiServer: { host: '' } }, metrics, logs })).toEqual([
    'error GrafanaAgent spec.apiServer.host',
    'error MetricsInstance spec.remoteFlushDeadline',
    'error LogsInstance spec.targetConfig.syncPeriod',
  ]);
});

test('lines stand in the order of the tables, whatever order the objects have', () => {
  const selects = { instanceSelector: {}, instanceNamespaceSelector: {} };
  const agent = {
    logFormat: 'json',
    logLevel: 'debug',
    metrics: { ...selects, scrapeTimeout: '5s', scrapeInterval: '9s', externalLabels: { b: 'c' } },
  };
  const metrics = { writeStaleOnShutdown: true, maxWALTime: '4h', minWALTime: '1m', walTruncateFrequency: '1h' };
  expect(configOf({ agent, metrics }, 'a-config')).toBe(`server:
  log_level: debug
  log_format: json
metrics:
  wal_directory: /var/lib/grafana-agent/data
  global:
    external_labels:
      cluster: x/a
      b: c
      __replica__: replica-$(STATEFULSET_ORDINAL_NUMBER)
    scrape_interval: 9s
    scrape_timeout: 5s
  configs:
  - name: x/a
    wal_truncate_frequency: 1h
    min_wal_time: 1m
    max_wal_time: 4h
    write_stale_on_shutdown: true
`);
});

test('a table without a field of its kind, or of a member, does not compile', () => {
  const { paused: _1, ...root } = grafanaAgentFields;
  const { minWALTime: _2, ...metrics } = metricsInstanceFields;
  const { clients: _3, ...logs } = logsInstanceFields;
  const { config: _4, ...integration } = integrationFields;
  // @ts-expect-error -- nobody has decided about the pause.
  const withoutPause: Fields<GrafanaAgentSpec, GlobalPlace> = root;
  // @ts-expect-error -- nor about the age of what is kept.
  const withoutAge: Fields<MetricsInstanceSpec> = metrics;
  // @ts-expect-error -- nor about where logs go.
  const withoutClients: Fields<LogsInstanceSpec> = logs;
  // @ts-expect-error -- nor about what an integration is told.
  const withoutConfig: Fields<IntegrationSpec> = integration;
  // @ts-expect-error -- nor about which nodes it runs on.
  const shallow: Fields<IntegrationSpec> = { ...integrationFields, type: { members: { unique: 'elsewhere' } } };
  expect([withoutPause, withoutAge, withoutClients, withoutConfig, shallow]).toHaveLength(5);
});
