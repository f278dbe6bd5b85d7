/** Custom resources of the definitions that an installation brings. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { customResourceSchema, type JsonObject, parseYamlDocuments, type SchemaNode } from '@signalbox/cluster';
import { pod, selector } from './parts.ts';
import { type Played, played, scaleDoor } from './played.ts';

const scraping = { spec: { selector, endpoints: [{ port: 'http', interval: '30s' }] } };
const agent = { image: 'example/agent:1', serviceAccountName: 'a', logs: { instanceSelector: selector } };
const [metrics, operators] = ['monitoring.grafana.com/v1alpha1', 'monitoring.coreos.com/v1'];

export const custom: readonly Played[] = [
  of(`${operators} ServiceMonitor servicemonitors`, [scraping]),
  of(`${operators} PodMonitor podmonitors`, [
    {
      spec: {
        selector,
        podMetricsEndpoints: [{ port: 'http', relabelings: [{ action: 'keep', sourceLabels: ['a'] }] }],
      },
    },
  ]),
  of(`${operators} Probe probes`, [{ spec: { prober: { url: 'a' }, targets: { staticConfig: { static: ['b'] } } } }]),
  of(`${operators} Prometheus prometheuses`, [
    {
      spec: { shards: 2, serviceMonitorSelector: {}, containers: pod.containers, resources: { requests: { cpu: 1 } } },
    },
  ]),
  of('monitoring.coreos.com/v1alpha1 PrometheusAgent prometheusagents', [
    { spec: { remoteWrite: [{ url: 'http://a', writeRelabelConfigs: [{ regex: 'a', action: 'drop' }] }] } },
  ]),
  of(`${operators} PrometheusRule prometheusrules`, [
    { spec: { groups: [{ name: 'a', rules: [{ alert: 'A', expr: 1 }] }] } },
  ]),
  of('monitoring.coreos.com/v1alpha1 ScrapeConfig scrapeconfigs', [
    { spec: { staticConfigs: [{ targets: ['a:80'], labels: { a: 'b' } }], kubernetesSDConfigs: [{ role: 'Pod' }] } },
  ]),
  of(`${metrics} GrafanaAgent grafanaagents`, [{ spec: agent }]),
  of(`${metrics} MetricsInstance metricsinstances`, [
    { spec: { serviceMonitorSelector: selector, remoteWrite: [{ url: 'http://a' }] } },
  ]),
  of(`${metrics} LogsInstance logsinstances`, [
    { spec: { clients: [{ url: 'http://a' }], podLogsSelector: selector } },
  ]),
  of('monitoring.grafana.com/v1alpha1 PodLogs podlogs', [
    { spec: { selector, pipelineStages: [{ cri: {} }], namespaceSelector: { any: true } } },
  ]),
  of(`${metrics} Integration integrations`, [
    { spec: { name: 'node_exporter', type: { allNodes: true }, config: { a: 1 } } },
  ]),
];

function of(what: string, examples: readonly JsonObject[]): Played {
  const [apiVersion = '', , resource = ''] = what.split(' ');
  let schema: SchemaNode | undefined;
  const read = (): SchemaNode => {
    const { versions } = definition(`${resource}.${apiVersion.split('/')[0] ?? ''}`).spec;
    const version = versions.find(({ name }) => apiVersion.endsWith(`/${name}`));
    return customResourceSchema(version?.schema.openAPIV3Schema);
  };
  const doors = resource.startsWith('prometheus') && resource !== 'prometheusrules' ? [scaleDoor] : [];
  return played(what, { examples, doors, isCustom: true, hasStatus: true, schema: () => (schema ??= read()) });
}

export interface Definition {
  readonly spec: {
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: object };
    }[];
  };
}

/** As an installation has it, by its name. */
export function definition(name: string): Definition {
  const path = join(import.meta.dirname, '../../../../deploy/chart/crds', `${name}.yaml`);
  const [document] = parseYamlDocuments(readFileSync(path, 'utf8'), { source: path });
  return document?.value as unknown as Definition;
}
