import type { KubeObject } from '@signalbox/cluster';
import { describe, expect, test } from 'vitest';
import { takeIn } from '../operator/intake.ts';
import { renderWorld } from '../operator/render.ts';
import { createGrafanaAgentComponent } from '../roots/grafana-agent/component.ts';
import { createPrometheusComponent } from '../roots/prometheus/prometheus.ts';
import { agentExpanded, reloaderExpanded } from '../testing/expanders.ts';
import { type StringField, stringFieldsOf } from '../testing/string-fields.ts';
import { objectsOf } from '../testing/world.ts';
import { worldOf } from '../world/world.ts';
import { parseYaml } from './yaml.ts';

/*
 * Whoever may write a monitor must not read the environment of the agents: every text of every kind that tenants write,
 * taken from the definitions, with all that looks like a variable in it, through what the programs in the pods do to it.
 */
const environment = { POD_NAME: 'agent-0', SHARD: '0', SHARDS: '2', HOSTNAME: 'node', SECRET_TOKEN: 'hunter2' };

/** A plain text, and the same as a URL where only those are taken. */
const texts = ['', 'http://prober/'].map(
  (before) =>
    `${before}a$\{SECRET_TOKEN}b$(SECRET_TOKEN)c$\{SECRET_TOKEN:-x}d$$\{SECRET_TOKEN}e$$(SECRET_TOKEN)f$$g$1h$\{1}i$\{#SECRET_TOKEN}`,
);

const roots = `
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: monitoring }
spec:
  metrics: { shards: 2, instanceSelector: {}, instanceNamespaceSelector: {} }
  logs: { instanceSelector: {}, instanceNamespaceSelector: {} }
  integrations: { selector: {}, namespaceSelector: {} }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: main, namespace: monitoring }
spec:
  serviceMonitorSelector: {}
  serviceMonitorNamespaceSelector: {}
  podMonitorSelector: {}
  podMonitorNamespaceSelector: {}
  probeSelector: {}
  probeNamespaceSelector: {}
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: LogsInstance
metadata: { name: main, namespace: monitoring }
spec: { podLogsSelector: {}, podLogsNamespaceSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: monitoring }
spec:
  shards: 2
  serviceMonitorSelector: {}
  serviceMonitorNamespaceSelector: {}
  podMonitorSelector: {}
  podMonitorNamespaceSelector: {}
  probeSelector: {}
  probeNamespaceSelector: {}
  scrapeConfigSelector: {}
  scrapeConfigNamespaceSelector: {}
---
apiVersion: v1
kind: Namespace
metadata: { name: monitoring }
---
apiVersion: v1
kind: Namespace
metadata: { name: tenant }
---
apiVersion: v1
kind: Secret
metadata: { name: x, namespace: tenant }
stringData: { x: 'a$(SECRET_TOKEN)' }
---
apiVersion: v1
kind: Secret
metadata: { name: jobs, namespace: tenant }
stringData: { jobs: '[{ job_name: "$(SECRET_TOKEN)", params: { a: ["$\{SECRET_TOKEN}"] } }]' }
`;

const grafana = 'monitoring.grafana.com/v1alpha1';
const coreos = 'monitoring.coreos.com/v1';
const rules = [{ targetLabel: 'x' }];
const oauth2 = {
  clientId: { secret: { name: 'x', key: 'x' } },
  clientSecret: { name: 'x', key: 'x' },
  tokenUrl: 'http://x/',
};
const endpoint = { port: 'http', relabelings: rules, metricRelabelings: rules };
const ingress = { relabelingConfigs: rules };
const stages = [{ metrics: { x: { type: 'counter', action: 'inc', matchAll: true } } }];
const remote = { url: 'http://x/', writeRelabelConfigs: rules };
const client = { url: 'http://x/' };

interface Kind {
  readonly kind: string;
  readonly apiVersion: string;
  /** What the text is put into. */
  readonly specs: readonly object[];
  /** Less than this many texts have been in a file at the last count. */
  readonly arrivedMin: number;
}

const kinds: readonly Kind[] = [
  {
    kind: 'ServiceMonitor',
    apiVersion: coreos,
    specs: [endpoint, { ...endpoint, oauth2 }].map((each) => ({ selector: {}, endpoints: [each] })),
    arrivedMin: 20,
  },
  {
    kind: 'PodMonitor',
    apiVersion: coreos,
    specs: [endpoint, { ...endpoint, oauth2 }].map((each) => ({ selector: {}, podMetricsEndpoints: [each] })),
    arrivedMin: 18,
  },
  {
    kind: 'Probe',
    apiVersion: coreos,
    specs: [
      {
        prober: { url: 'prober' },
        metricRelabelings: rules,
        targets: { staticConfig: { static: ['x'], relabelingConfigs: rules } },
      },
      { prober: { url: 'prober' }, oauth2, targets: { ingress } },
    ],
    arrivedMin: 20,
  },
  {
    kind: 'ScrapeConfig',
    apiVersion: 'monitoring.coreos.com/v1alpha1',
    specs: [{ staticConfigs: [{ targets: ['x'] }], relabelings: rules, metricRelabelings: rules }],
    arrivedMin: 20,
  },
  {
    kind: 'PodLogs',
    apiVersion: grafana,
    specs: [
      { selector: {}, relabelings: rules },
      { selector: {}, pipelineStages: stages },
    ],
    arrivedMin: 20,
  },
  {
    kind: 'MetricsInstance',
    apiVersion: grafana,
    specs: [
      { remoteWrite: [remote], additionalScrapeConfigs: { name: 'jobs', key: 'jobs' } },
      { remoteWrite: [{ ...remote, oauth2 }] },
    ],
    arrivedMin: 15,
  },
  {
    kind: 'LogsInstance',
    apiVersion: grafana,
    specs: [{ clients: [client] }, { clients: [{ ...client, oauth2 }] }],
    arrivedMin: 10,
  },
  {
    kind: 'Integration',
    apiVersion: grafana,
    specs: [{ name: 'x', type: { allNodes: false }, config: {} }],
    arrivedMin: 1,
  },
];

const components = [createGrafanaAgentComponent(), createPrometheusComponent()];

/** What stands in the files, as it is read in a pod, and as it would be if nobody expanded anything. */
function read(objects: readonly KubeObject[]): readonly { readonly expanded: unknown; readonly written: unknown }[] {
  const { configs } = renderWorld(worldOf(objects), { components, nowMs: 0 });
  // The other files are those of the roots alone.
  const touched = Object.entries(configs).filter(([, text]) => text.includes('SECRET_TOKEN'));
  return touched.map(([name, text]) => {
    const isAgent = name.endsWith('agent.yml');
    const reloaded = reloaderExpanded(
      text,
      { ...environment, STATEFULSET_ORDINAL_NUMBER: '0' },
      { unknown: isAgent ? 'fails' : 'stays' },
    );
    const final = isAgent ? agentExpanded(reloaded, environment) : reloaded;
    expect(final).not.toContain('hunter2');
    return { expanded: parseYaml(final) ?? null, written: parseYaml(text) ?? null };
  });
}

/** Our own rules name the shard, and nothing else. */
function withShard(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll('"$(SHARD)"', '0')
    .replaceAll('$(SHARD)', '0')
    .replaceAll('$(POD_NAME)', 'agent-0')
    .replaceAll('$(STATEFULSET_ORDINAL_NUMBER)', '0');
  return JSON.parse(text);
}

describe.each(kinds)('a $kind of a tenant', ({ kind, apiVersion, specs, arrivedMin }) => {
  const world = takeIn(objectsOf(roots)).objects;
  const fields = stringFieldsOf(kind);

  const own = (text: string, index: number): string => `${text}z${index}z`;

  /** Whose texts were in a file. All are in one world, each in an object of its own. */
  function arrived(spec: object, text: string): readonly StringField[] {
    const objects = fields.map((field, index) => {
      const base = { apiVersion, kind, metadata: { name: `x-${index}`, namespace: 'tenant' }, spec };
      return field.with(own(text, index), base) as unknown as KubeObject;
    });
    // No server keeps what the definition refuses.
    const files = read([...world, ...takeIn(objects).objects]).map(({ expanded, written }) => {
      const [found, wanted] = [JSON.stringify(expanded), JSON.stringify(withShard(written))];
      // Where they differ is found out only when they do: they are long.
      if (found !== wanted) expect(expanded).toEqual(withShard(written));
      return JSON.stringify(written);
    });
    return fields.filter((_, index) =>
      files.some((file) => file.includes(JSON.stringify(own(text, index)).slice(1, -1))),
    );
  }

  test(`reads nothing of the environment in any of its ${fields.length} texts`, () => {
    const all = new Set(specs.flatMap((spec) => texts.flatMap((text) => arrived(spec, text))));
    expect(all.size, [...all].map(({ path }) => path).join('\n')).toBeGreaterThanOrEqual(arrivedMin);
  });
});
