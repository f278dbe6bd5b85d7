// What a root comes to, wherever it is asked: running, offline, in previews.
export type {
  BuildOptions,
  Desired,
  DesiredStatus,
  Finding,
  ObjectName,
  Reference,
  RootComponent,
} from './component.ts';
export { type ComponentOptions, defaultComponents } from './components.ts';
export { createGrafanaAgentComponent } from './grafana-agent.ts';
export { type CacheWorld, createCacheWorld } from './hierarchy/cache-world.ts';
export { type ForestOptions, liveForest } from './hierarchy/live-forest.ts';
export {
  type LiveCondition,
  type LiveNode,
  liveTrees,
  liveTypes,
  liveWorkload,
  podsOf,
} from './hierarchy/live-tree.ts';
export { formatTree, type TreeNode } from './hierarchy/tree.ts';
export { isWorkload, type Progress, podProblem, progressOf, type Workload } from './hierarchy/workload.ts';
export { type World, worldOf } from './hierarchy/world.ts';
export { type TakenIn, takeIn } from './intake.ts';
export { createKubeletServiceSync } from './kubelet/controller.ts';
export type { KubeletServiceName } from './kubelet/manifests.ts';
export { type AgentOptions, defaultAgentOptions } from './manifests/agent-labels.ts';
export { defaultPrometheusOptions, type PrometheusOptions } from './manifests/prometheus/flavour.ts';
export { createTelemetryOperator, type TelemetryOperatorOptions } from './operator.ts';
export { createPrometheusComponent } from './prometheus.ts';
export { createPrometheusAgentComponent } from './prometheus-agent.ts';
export { executeRelabelling, hashedShard, type LabelSet } from './relabel/execute.ts';
export { type RenderedManifests, type RenderOptions, renderManifests, renderWorld } from './render.ts';

// The custom resources.
export { customResourceDefinitions } from './resources/crds.ts';
export { type GrafanaAgent, grafanaagents } from './resources/grafana-agent.ts';
export { type Integration, integrations } from './resources/integration.ts';
export { type LogsInstance, logsinstances } from './resources/logs-instance.ts';
export { type MetricsInstance, metricsinstances } from './resources/metrics-instance.ts';
export { type PodLogs, podlogs } from './resources/pod-logs.ts';
export { type PodMonitor, podmonitors } from './resources/pod-monitor.ts';
export { type Probe, probes } from './resources/probe.ts';
export { type Prometheus, prometheuses } from './resources/prometheus.ts';
export { type PrometheusAgent, prometheusagents } from './resources/prometheus-agent.ts';
export { type ScrapeConfig, scrapeconfigs } from './resources/scrape-config.ts';
export { type ServiceMonitor, servicemonitors } from './resources/service-monitor.ts';
export { describeFinding } from './status/facts.ts';
