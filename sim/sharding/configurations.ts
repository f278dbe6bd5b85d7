/** The rules that the shards of a root run from in some state of a hand-over: out of whole configurations, as they are written. */
import type { KubeObject } from '@signalbox/cluster';
import {
  defaultComponents,
  formatState,
  type RelabelRule,
  renderManifests,
  type ShardingState,
  stateAnnotation,
} from '@signalbox/telemetry';
import { load } from 'js-yaml';

export const rootKinds = ['Prometheus', 'PrometheusAgent', 'GrafanaAgent'] as const;
export type RootKind = (typeof rootKinds)[number];

interface Job {
  readonly relabel_configs: readonly RelabelRule[];
}

/** The rules of the root's one job, as each of so many shards reads them. */
export function rulesByShard(
  kind: RootKind,
  state: ShardingState,
  shards: number,
): readonly (readonly RelabelRule[])[] {
  const text = JSON.stringify(jobOf(kind, state).relabel_configs);
  return Array.from({ length: shards }, (_, shard) =>
    // Frozen, so that what they come to is remembered.
    Object.freeze(JSON.parse(text.replaceAll('$(SHARD)', String(shard))) as readonly RelabelRule[]),
  );
}

function jobOf(kind: RootKind, state: ShardingState): Job {
  const { configs, findings } = renderManifests(manifests(kind, state), { components: defaultComponents(), nowMs: 0 });
  const text =
    configs[kind === 'GrafanaAgent' ? 'shop/main-config/agent.yml' : `shop/${configName(kind)}/prometheus.yaml.gz`];
  const file = load(text ?? '') as {
    readonly scrape_configs?: readonly Job[];
    readonly metrics?: { readonly configs: readonly { readonly scrape_configs: readonly Job[] }[] };
  };
  const [job] = file.scrape_configs ?? file.metrics?.configs[0]?.scrape_configs ?? [];
  if (job === undefined) throw new Error(`nothing is scraped: ${findings.map(({ message }) => message).join('; ')}`);
  return job;
}

function configName(kind: RootKind): string {
  return { Prometheus: 'prometheus-main', PrometheusAgent: 'prom-agent-main', GrafanaAgent: 'main-config' }[kind];
}

function manifests(kind: RootKind, state: ShardingState): readonly KubeObject[] {
  const shards = state.handover?.to.shards ?? state.sharing.shards;
  const bySlots = (state.handover?.to ?? state.sharing).owners !== undefined;
  const annotations = bySlots ? { 'signalbox.dev/sharding': 'slots' } : { 'signalbox.dev/handover': 'true' };
  const metadata = { name: 'main', namespace: 'shop' };
  const root = { ...metadata, annotations };
  const monitor = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata,
    spec: { selector: {}, endpoints: [{ port: 'web' }] },
  };
  const remembered = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: configName(kind), namespace: 'shop', annotations: { [stateAnnotation]: formatState(state) } },
    type: 'Opaque',
  };
  return [monitor, remembered, ...rootObjects(kind, root, shards)] as unknown as readonly KubeObject[];
}

function rootObjects(kind: RootKind, metadata: object, shards: number): readonly object[] {
  const agents = 'monitoring.grafana.com/v1alpha1';
  switch (kind) {
    case 'Prometheus': {
      const shardRetentionPolicy = { whenScaled: 'Retain' };
      const spec = { shards, serviceMonitorSelector: {}, shardRetentionPolicy };
      return [{ apiVersion: 'monitoring.coreos.com/v1', kind, metadata, spec }];
    }
    case 'PrometheusAgent':
      return [
        { apiVersion: 'monitoring.coreos.com/v1alpha1', kind, metadata, spec: { shards, serviceMonitorSelector: {} } },
      ];
    case 'GrafanaAgent': {
      const instance = { name: 'main', namespace: 'shop' };
      return [
        { apiVersion: agents, kind, metadata, spec: { metrics: { shards, instanceSelector: {} } } },
        { apiVersion: agents, kind: 'MetricsInstance', metadata: instance, spec: { serviceMonitorSelector: {} } },
      ];
    }
    default:
      return kind satisfies never;
  }
}
