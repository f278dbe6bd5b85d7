// Metrics for autoscalers.

export {
  adapterIdentity,
  adapterRights,
  createMetricsAdapter,
  type MetricsAdapter,
  type MetricsAdapterOptions,
} from './adapter/adapter.ts';
export { loadAnnotation } from './adapter/load.ts';
export type { PageTarget, ReadPage } from './adapter/pages.ts';
export type { AskPrometheus } from './adapter/query.ts';
export {
  type DescribedBy,
  type MetricRule,
  type Page,
  type PageSource,
  parseRules,
  type QuerySource,
  RuleError,
} from './adapter/rule.ts';

// What a root comes to, wherever it is asked: running, offline, in previews.

export { type ComponentOptions, defaultComponents } from './components.ts';
export type { Look } from './explain/discovery/discover.ts';
export {
  type AgentView,
  type DroppingRule,
  describeRef,
  type Fate,
  type Health,
  type JobView,
  type MonitorExplanation,
  type ObjectRef,
  type Outcome as ScrapeOutcome,
  type Problem as ScrapeProblem,
  type SelectorView,
  type TargetView,
} from './explain/explanation.ts';
export {
  asTold,
  checked as withTargetHealth,
  readTargets,
  type Told,
  type ToldTarget,
  unaskedNotes,
} from './explain/health.ts';
export { withImagined } from './explain/imagined.ts';
export { explainMonitor, explainRefused, findingsOf } from './explain/monitor.ts';
export type { ExplainOptions } from './explain/selectors.ts';
export { withSimulatedAgents } from './explain/simulated-agents.ts';
export {
  explainTarget,
  monitorTypes,
  type OpenJob,
  type TargetExplanation,
  type TargetFind,
  type TargetQuery,
  withToldFinds,
} from './explain/target.ts';
export { liveForest } from './live/forest.ts';
export {
  type LiveCondition,
  type LiveNode,
  type LiveOptions,
  liveTrees,
  liveTypes,
  liveWorkload,
  podsOf,
} from './live/tree.ts';
export type {
  BuildOptions,
  Collected,
  Desired,
  DesiredStatus,
  Found,
  Looks,
  MonitorJobs,
  ObjectName,
  RootComponent,
  StatusNote,
} from './operator/component.ts';
export {
  type Count,
  createOperatorFigures,
  type OperatorFigures,
  type OperatorObserver,
  type RootFigures,
  type Wrong,
} from './operator/figures.ts';
export { type OperatorRights, operatorIdentity, operatorRights } from './operator/identity.ts';
export { takeIn } from './operator/intake.ts';
export { hashAnnotation } from './operator/merge-live.ts';
export { operatorScope, operatorTrim } from './operator/monitors/trim.ts';
export { createTelemetryOperator, type TelemetryOperatorOptions } from './operator/operator.ts';
export { type RenderedManifests, type RenderOptions, renderManifests, renderWorld } from './operator/render.ts';
export type { TakenIn } from './operator/taking-in.ts';
export type { ConfigurationChange } from './preview/configuration-changes.ts';
// What would come of edits.
export {
  type Edited,
  type Edits,
  replaced,
  type Scale,
  scalableTypes,
  storedManifests,
  withEdits,
} from './preview/edits.ts';
export { type ForetellOptions, type Foretold, foretell, type Said } from './preview/foretell.ts';
export type { Recreated } from './preview/imagined-server.ts';
export type { Hunk } from './preview/line-diff.ts';
export { changedFields, type FieldChange, type ObjectChange } from './preview/object-changes.ts';
export {
  changesWithin,
  hasChanges,
  type PlannedChanges,
  type PlannedEvent,
  type PlannedFinding,
  type PlanOptions,
  planChanges,
} from './preview/plan-changes.ts';
export type { ShardChange, TargetChange, TargetChanges, UnknownJob } from './preview/target-changes.ts';
export type { WorkloadChange } from './preview/workload-changes.ts';
export { executeRelabelling, hashedShard, type LabelSet, labelAfter } from './relabel/execute.ts';
export type { RelabelRule } from './relabel/rule.ts';
// The custom resources.
export { definitionNames } from './resources/bare-crds.ts';
export type { Condition, Fact } from './resources/condition.ts';
export { customResourceDefinitions } from './resources/crds.ts';
export { isCustom } from './resources/custom.ts';
export type * from './resources/generated/types.ts';
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
export { createGrafanaAgentComponent } from './roots/grafana-agent/component.ts';
export { createKubeletServiceSync } from './roots/grafana-agent/kubelet/controller.ts';
export type { KubeletServiceName } from './roots/grafana-agent/kubelet/manifests.ts';
export { type AgentOptions, defaultAgentOptions } from './roots/grafana-agent/manifests/labels.ts';
export { defaultPrometheusOptions, type PrometheusOptions } from './roots/prometheus/manifests/flavour.ts';
export { createPrometheusComponent } from './roots/prometheus/prometheus.ts';
export { createPrometheusAgentComponent } from './roots/prometheus/prometheus-agent.ts';
export type { AgentAnswer, AgentAnswers, AgentDoor, AgentQuestion } from './sharding/agents.ts';
// How shards share their targets.
export { type Balancing, balanced, balancingDefault } from './sharding/balance.ts';
export type { Weighing } from './sharding/current.ts';
export {
  deviation,
  firstMapping,
  movedSlots,
  type SlotLoads,
  type SlotMapping,
  shardLoads,
} from './sharding/mapping.ts';
export { type Placement, type PlacementOptions, placementRules, slotWay, type Way } from './sharding/placement.ts';
export { shardsThatScrape } from './sharding/sharing.ts';
export { spreadOver } from './sharding/spread.ts';
export {
  formatState,
  type Handover,
  type HandoverStep,
  parseState,
  type ReadState,
  type ShardingState,
  type Sharing,
  stateAnnotation,
} from './sharding/state-text.ts';
export type { HeldTarget } from './sharding/targets-page.ts';
export type { SlotLevels } from './sharding/weights.ts';
export { formatTree, type TreeNode } from './tree/tree.ts';
export { type CacheWorld, createCacheWorld } from './world/cache-world.ts';
export type { Finding, Reference } from './world/findings.ts';
export { describeFinding } from './world/findings.ts';
export type { Picking } from './world/pick.ts';
export type { Miss, Selection } from './world/select.ts';
export {
  isWorkload,
  type JobProgress,
  type Progress,
  podProblem,
  progressOf,
  progressOfJob,
  type Workload,
} from './world/workload.ts';
export { type World, worldOf } from './world/world.ts';
