import {
  configmaps,
  daemonsets,
  deployments,
  type KubeObject,
  type New,
  namespaces,
  parseLabelSelector,
  type ResourceType,
  type Secret,
  secrets,
  services,
  statefulsets,
} from '@signalbox/cluster';
import { createGzip, type Gzip } from '../../manifests/gzip.ts';
import { tooLarge } from '../../manifests/secret-bytes.ts';
import type { BuildOptions, Desired, ObjectName, RootComponent } from '../../operator/component.ts';
import { isPaused } from '../../operator/paused.ts';
import { soonest } from '../../operator/soonest.ts';
import { type GrafanaAgent, grafanaagents } from '../../resources/grafana-agent.ts';
import { integrations } from '../../resources/integration.ts';
import { logsinstances } from '../../resources/logs-instance.ts';
import { metricsinstances } from '../../resources/metrics-instance.ts';
import { podlogs } from '../../resources/pod-logs.ts';
import { podmonitors } from '../../resources/pod-monitor.ts';
import { probes } from '../../resources/probe.ts';
import { servicemonitors } from '../../resources/service-monitor.ts';
import { createJobCache, type JobCache } from '../../scrape/jobs.ts';
import { noAnswers } from '../../sharding/agents.ts';
import type { CurrentSharding } from '../../sharding/current.ts';
import { leavesAtAnnotation, nobodyLeaves } from '../../sharding/leaving.ts';
import { stateAnnotation } from '../../sharding/state-text.ts';
import type { Finding } from '../../world/findings.ts';
import { compare, type World } from '../../world/world.ts';
import { type RenderedAgent, renderAgent } from './config/render.ts';
import { type AgentHierarchy, agentPickings, discoverAgent } from './discover.ts';
import { agentReferences } from './manifests/assets/references.ts';
import { assetsSecret } from './manifests/assets/secret.ts';
import { type Assets, collectAssets } from './manifests/assets/vault.ts';
import { configSecret } from './manifests/config-secret.ts';
import { assetFiles, integrationsName, integrationsShape, type Kind } from './manifests/integrations/shape.ts';
import { integrationsDaemonSet, integrationsDeployment } from './manifests/integrations/workloads.ts';
import { type AgentOptions, defaultAgentOptions, managedBy } from './manifests/labels.ts';
import { logsDaemonSet, logsName } from './manifests/logs/daemonset.ts';
import { agentDoor, governingService } from './manifests/metrics/service.ts';
import { metricsConfigName, shardStatefulSet } from './manifests/metrics/statefulset.ts';
import { nameProblem } from './manifests/root-name.ts';
import { leavingShards, shardingOf } from './sharding.ts';
import { agentStatus } from './status.ts';
import { agentTree } from './tree.ts';

/**
 * The Grafana Agent Operator's half: a GrafanaAgent with its instances, monitors, logs and integrations becomes Secrets,
 * a Service, StatefulSets, DaemonSets and a Deployment, under the names and labels that the Agent Operator gave them.
 */
export function createGrafanaAgentComponent(options: Partial<AgentOptions> = {}): RootComponent<GrafanaAgent> {
  const settled: AgentOptions = { ...defaultAgentOptions, ...options };
  const tools: Tools = { options: settled, cache: createJobCache(), gzip: createGzip() };
  const selects = parseLabelSelector(settled.agentSelector);
  return {
    name: 'grafana-agent',
    rootType: grafanaagents,
    reads,
    collects,
    owns: [secrets, services, statefulsets, daemonsets, deployments],
    patches: [statefulsets],
    managedBy,
    ownedPrefixes: [stateAnnotation, leavesAtAnnotation],
    foreignBecause: ({ metadata }) =>
      selects(metadata.labels ?? {})
        ? undefined
        : `this operator looks only after GrafanaAgents with ${settled.agentSelector} (--agent-selector)`,
    isPaused,
    looks: (root, monitorKind) => {
      const { metrics, logs, apiServer } = withSpec(root).spec;
      const branch = monitorKind === podlogs.kind ? logs : metrics;
      return {
        isHomeOnly: branch?.ignoreNamespaceSelectors === true,
        isElsewhere: (apiServer?.host ?? '') !== '',
      };
    },
    pickings: (root, world) => agentPickings(withSpec(root), world),
    build: (root, world, now) => build(withSpec(root), world, { ...tools, ...now }),
  };
}

/** Upstream's definition demands none. */
function withSpec(root: GrafanaAgent): GrafanaAgent {
  const { spec } = root as Partial<GrafanaAgent>;
  return spec === undefined ? { ...root, spec: {} } : root;
}

const collects: readonly ResourceType[] = [servicemonitors, podmonitors, probes, podlogs];
const reads: readonly ResourceType[] = [
  metricsinstances,
  logsinstances,
  integrations,
  ...collects,
  secrets,
  configmaps,
  namespaces,
];

interface Tools {
  readonly options: AgentOptions;
  readonly cache: JobCache;
  readonly gzip: Gzip;
}

type Building = Tools & BuildOptions;

function build(root: GrafanaAgent, world: World, tools: Building): Desired {
  const { options, cache, gzip, nowMs, answers = noAnswers, loads } = tools;
  const hierarchy = discoverAgent(root, world);
  const assets = collectAssets(agentReferences(root, hierarchy), world);
  const sharding = shardingOf(root, { world, hierarchy, nowMs, answers, loads });
  const rendered = renderAgent(root, hierarchy, {
    assets,
    cache,
    sharing: { shards: sharding.shards, placement: sharding.placement },
  });
  const outcome = objectsOf(root, { hierarchy, assets, rendered, options, gzip, sharding });
  const findings = [...sharding.findings, ...hierarchy.findings, ...rendered.findings, ...outcome.findings];
  const isHandedOver = hierarchy.metrics.length > 0 && rendered.metrics !== undefined;
  // A configuration that cannot be written takes no step.
  const isTold = isHandedOver && !outcome.kept.some(({ name }) => name === metricsConfigName(root));
  const leaving = isHandedOver ? leavingShards(root, { world, sharding, nowMs }) : nobodyLeaves;
  const kept = [...outcome.kept, ...leaving.kept.map(nameOf)];
  const againInMs = soonest([leaving.againInMs, isHandedOver ? sharding.againInMs : undefined]);
  return {
    objects: outcome.objects,
    kept,
    actions: [...leaving.marks, ...(isTold ? sharding.news : [])],
    findings,
    references: assets.references,
    collected: rendered.collected,
    additional: rendered.additional,
    shards: sharding.shards,
    agentDoor,
    tree: () => agentTree(root, hierarchy, { findings, objects: outcome.objects }),
    status: agentStatus(root, world, {
      hierarchy,
      objects: outcome.objects,
      kept: outcome.kept,
      facts: isHandedOver ? sharding.facts : [],
    }),
    ...(isHandedOver && { asks: sharding.asks, weighing: sharding.weighing }),
    ...(againInMs !== undefined && { againInMs }),
  };
}

interface Built {
  readonly hierarchy: AgentHierarchy;
  readonly assets: Assets;
  readonly rendered: RenderedAgent;
  readonly options: AgentOptions;
  readonly gzip: Gzip;
  readonly sharding: CurrentSharding;
}

interface Outcome {
  readonly objects: readonly New<KubeObject>[];
  readonly kept: readonly ObjectName[];
  readonly findings: readonly Finding[];
}

function objectsOf(root: GrafanaAgent, built: Built): Outcome {
  const invalid = nameProblem(root, built.hierarchy);
  const drafts = [...assetDrafts(root, built), ...signalDrafts(root, built)];
  const objects: New<KubeObject>[] = [];
  const kept: ObjectName[] = [];
  const findings: Finding[] = invalid === undefined ? [] : [invalid];
  for (const { object, isKept } of drafts) {
    const stays = isKept || invalid !== undefined;
    const finding = !stays && isSecret(object) ? tooLarge(object, root) : undefined;
    if (finding !== undefined) findings.push(finding);
    if (stays || finding !== undefined) kept.push(nameOf(object));
    else objects.push(object);
  }
  return { objects, kept, findings };
}

/** One object on its way; `isKept`: what stands there already stays as it is. */
interface Draft {
  readonly object: New<KubeObject>;
  readonly isKept: boolean;
}

/**
 * A file of an integration whose key is missing stays empty: without the key the volume, and with it the pods of all
 * other integrations, could not start, and as an optional one it would be another volume than the Agent Operator's.
 */
function assetDrafts(root: GrafanaAgent, { assets, hierarchy }: Built): readonly Draft[] {
  const empty = assetFiles(hierarchy.integrations).map(({ reference }) => [assets.keyOf(reference), ''] as const);
  const content = Object.entries({ ...Object.fromEntries(empty), ...assets.content });
  const sorted = Object.fromEntries(content.sort(([a], [b]) => compare(a, b)));
  return [{ object: assetsSecret(root, sorted), isKept: false }];
}

/** In the order in which the Agent Operator writes them. A configuration that cannot be rendered keeps its workload too. */
function signalDrafts(root: GrafanaAgent, built: Built): readonly Draft[] {
  const { hierarchy, rendered, options, gzip, sharding } = built;
  const drafts: Draft[] = [];
  const config = (name: string, pieces: Pieces | undefined, annotations: Annotations = {}): void => {
    const object = configSecret(root, { name, pieces: pieces ?? [], annotations, gzip, options });
    drafts.push({ object, isKept: pieces === undefined });
  };
  const add = (object: New<KubeObject>, pieces: Pieces | undefined): void => {
    drafts.push({ object, isKept: pieces === undefined });
  };
  if (hierarchy.metrics.length > 0) {
    config(metricsConfigName(root), rendered.metrics, sharding.annotations);
    add(governingService(root, options), rendered.metrics);
    for (let shard = 0; shard < sharding.shards; shard++) add(shardStatefulSet(root, shard, options), rendered.metrics);
  }
  if (hierarchy.logs.length > 0) {
    config(`${logsName(root)}-config`, rendered.logs);
    add(logsDaemonSet(root, options), rendered.logs);
  }
  const kinds = (['deploy', 'ds'] as const).filter((kind) => membersOf(hierarchy, kind).length > 0);
  for (const kind of kinds) config(`${integrationsName(root, kind)}-config`, rendered.integrations[kind]);
  for (const kind of kinds) add(integrationsWorkload(root, kind, built), rendered.integrations[kind]);
  return drafts;
}

type Annotations = Readonly<Record<string, string>>;
type Pieces = readonly string[];

function integrationsWorkload(root: GrafanaAgent, kind: Kind, { hierarchy, assets, options }: Built): New<KubeObject> {
  const shape = integrationsShape(root, { kind, members: membersOf(hierarchy, kind), keyOf: assets.keyOf });
  return kind === 'deploy' ? integrationsDeployment(root, shape, options) : integrationsDaemonSet(root, shape, options);
}

function membersOf({ integrations: all }: AgentHierarchy, kind: Kind): AgentHierarchy['integrations'] {
  return all.filter(({ spec }) => (spec.type.allNodes === true) === (kind === 'ds'));
}

function isSecret(object: New<KubeObject>): object is New<Secret> {
  return object.kind === 'Secret';
}

function nameOf({ kind, metadata }: KubeObject | New<KubeObject>): ObjectName {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}
