import {
  type DaemonSet,
  type Deployment,
  daemonsets,
  deployments,
  type KubeObject,
  type New,
  type StatefulSet,
  statefulsets,
} from '@signalbox/cluster';
import type { DesiredStatus, ObjectName } from '../../operator/component.ts';
import type { Fact } from '../../resources/condition.ts';
import type { GrafanaAgent } from '../../resources/grafana-agent.ts';
import type { World } from '../../world/world.ts';
import type { AgentHierarchy } from './discover.ts';

interface Built {
  readonly hierarchy: AgentHierarchy;
  readonly objects: readonly New<KubeObject>[];
  readonly kept: readonly ObjectName[];
  /** What is told besides. */
  readonly facts: readonly Fact[];
}

export function agentStatus(root: GrafanaAgent, world: World, built: Built): DesiredStatus {
  const { hierarchy } = built;
  const { generation } = root.metadata;
  const monitors = hierarchy.metrics.flatMap((branch) => [
    ...branch.serviceMonitors,
    ...branch.podMonitors,
    ...branch.probes,
  ]);
  return {
    conditions: ['Reconciled', availableFact(root, world, built), ...built.facts],
    fields: {
      // Of all kinds of roots this one's status alone has a place for it; elsewhere it would be dropped, and so written for good.
      ...(generation !== undefined && { observedGeneration: generation }),
      metricsInstances: hierarchy.metrics.length,
      logsInstances: hierarchy.logs.length,
      integrations: hierarchy.integrations.length,
      monitors: monitors.length + hierarchy.logs.reduce((sum, { podLogs }) => sum + podLogs.length, 0),
    },
  };
}

/** `Available`: every pod of every workload is ready, also of those that are kept as they were. */
function availableFact(root: GrafanaAgent, world: World, { objects, kept }: Built): Fact {
  const wanted = [...objects.map(({ kind, metadata }) => ({ kind, name: metadata.name ?? '' })), ...kept];
  const workloads = wanted.filter(({ kind }) => kind in readinessOf);
  if (workloads.length === 0)
    return {
      type: 'Available',
      status: 'False',
      reason: 'NothingSelected',
      message: 'the selectors find no instance and no integration, so there is nothing to run',
    };
  const waiting = workloads.flatMap(({ kind, name }) => {
    const progress = readinessOf[kind]?.(world, `${root.metadata.namespace}/${name}`) ?? unknown;
    return progress.ready >= progress.wanted
      ? []
      : [`${kind} ${name}: ${progress.ready} of ${progress.wanted} pods ready`];
  });
  return waiting.length === 0
    ? { type: 'Available', status: 'True', reason: 'AllPodsReady', message: '' }
    : { type: 'Available', status: 'False', reason: 'PodsNotReady', message: waiting.join('; ') };
}

interface Readiness {
  readonly ready: number;
  readonly wanted: number;
}

/** A workload that is not there, or that its controller has not looked at. */
const unknown: Readiness = { ready: 0, wanted: 1 };

const readinessOf: Readonly<Record<string, (world: World, key: string) => Readiness>> = {
  StatefulSet: (world, key) => ofReplicas(world.get(statefulsets, key)),
  Deployment: (world, key) => ofReplicas(world.get(deployments, key)),
  DaemonSet: (world, key) => ofDaemonSet(world.get(daemonsets, key)),
};

function ofReplicas(workload: StatefulSet | Deployment | undefined): Readiness {
  if (workload === undefined) return unknown;
  return { ready: workload.status?.readyReplicas ?? 0, wanted: workload.spec.replicas ?? 1 };
}

function ofDaemonSet(set: DaemonSet | undefined): Readiness {
  if (set?.status?.observedGeneration === undefined) return unknown;
  return { ready: set.status.numberReady, wanted: set.status.desiredNumberScheduled };
}
