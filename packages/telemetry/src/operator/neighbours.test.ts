import { freeze, type KubeObject } from '@signalbox/cluster';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import type { Probe } from '../resources/probe.ts';
import type { ServiceMonitor } from '../resources/service-monitor.ts';
import { createGrafanaAgentComponent } from '../roots/grafana-agent/component.ts';
import { objectsOf } from '../testing/world.ts';
import { worldOf } from '../world/world.ts';
import { renderWorld } from './render.ts';

/** Whatever one tenant writes into a monitor, the other tenants' jobs stay what they are. */
const fixed = objectsOf(`
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: monitoring }
spec: { metrics: { shards: 2, instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: primary, namespace: monitoring }
spec: { serviceMonitorSelector: {}, probeSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: good, namespace: monitoring }
spec: { selector: {}, endpoints: [{ port: http }] }
`);

interface Job {
  readonly job_name: string;
  readonly [field: string]: unknown;
}

const component = createGrafanaAgentComponent();

function jobsOf(...extra: readonly KubeObject[]): readonly Job[] {
  const { configs } = renderWorld(worldOf([...fixed, ...extra]), { components: [component], nowMs: 0 });
  const config = load(configs['monitoring/agent-config/agent.yml'] ?? '') as {
    metrics: { configs: { scrape_configs: Job[] }[] };
  };
  return config.metrics.configs.flatMap(({ scrape_configs }) => scrape_configs);
}

const baseline = jobsOf();
const metadata = { name: 'bad', namespace: 'monitoring', uid: 'bad', resourceVersion: '1', creationTimestamp: '' };
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('\n', '\r', ' ', '-', ':', '#', '"', "'", '\\', '$', '{', '}', '[', '(', '*'),
    maxLength: 12,
  }),
  fc.constantFrom('\n- job_name: forged', '"\n  - job_name: forged\n', 'a: b', '*', 'null', '__proto__'),
);
const rule = fc.record(
  {
    sourceLabels: fc.array(text, { maxLength: 2 }),
    separator: text,
    targetLabel: text,
    regex: text,
    replacement: text,
    action: text,
  },
  { requiredKeys: [] },
);
const endpoint = fc.record(
  {
    port: text,
    path: text,
    interval: text,
    scrapeTimeout: text,
    proxyUrl: text,
    params: fc.dictionary(text, fc.array(text, { maxLength: 2 }), { maxKeys: 2, noNullPrototype: true }),
    relabelings: fc.array(rule, { maxLength: 2 }),
    metricRelabelings: fc.array(rule, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const serviceMonitor = fc.record(
  {
    selector: fc.record({ matchLabels: fc.dictionary(text, text, { maxKeys: 2, noNullPrototype: true }) }),
    jobLabel: text,
    targetLabels: fc.array(text, { maxLength: 2 }),
    bodySizeLimit: text,
    namespaceSelector: fc.record({ matchNames: fc.array(text, { maxLength: 2 }) }),
    endpoints: fc.array(endpoint, { maxLength: 2 }),
  },
  { requiredKeys: ['selector', 'endpoints'] },
);

test('whatever stands in a ServiceMonitor, its neighbours’ jobs stay as they are', () => {
  fc.assert(
    fc.property(serviceMonitor, (spec) => {
      const bad: ServiceMonitor = freeze({
        apiVersion: 'monitoring.coreos.com/v1',
        kind: 'ServiceMonitor',
        metadata,
        spec,
      });
      const jobs = jobsOf(bad);
      expect(jobs.filter(({ job_name }) => !/^serviceMonitor\/monitoring\/bad\/\d$/.test(job_name))).toEqual(baseline);
    }),
  );
});

test('whatever stands in a Probe, its neighbours’ jobs stay as they are', () => {
  const probe = fc.record(
    {
      jobName: text,
      module: text,
      prober: fc.record({ url: text, path: text, scheme: text }, { requiredKeys: ['url'] }),
      targets: fc.record({
        staticConfig: fc.record({
          static: fc.array(text, { maxLength: 2 }),
          labels: fc.dictionary(text, text, { maxKeys: 2, noNullPrototype: true }),
        }),
      }),
    },
    { requiredKeys: ['prober'] },
  );
  fc.assert(
    fc.property(probe, (spec) => {
      const bad: Probe = freeze({ apiVersion: 'monitoring.coreos.com/v1', kind: 'Probe', metadata, spec });
      expect(jobsOf(bad).filter(({ job_name }) => job_name !== 'probe/monitoring/bad')).toEqual(baseline);
    }),
  );
});
