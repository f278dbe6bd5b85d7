import {
  daemonsets,
  deployments,
  type HorizontalPodAutoscaler,
  horizontalpodautoscalers,
  parseApiVersion,
  type ResourceType,
  statefulsets,
} from '@signalbox/cluster';
import type { RootComponent } from '../operator/component.ts';
import { isWorkload } from '../world/workload.ts';
import type { World } from '../world/world.ts';
import { liveJobs } from './jobs.ts';
import { type LiveNode, type LiveOptions, liveTrees, liveWorkload } from './tree.ts';

/**
 * Everything worth a look: the roots' trees, the workloads that belong to no root, Jobs, and each autoscaler under what it
 * scales, or at the end when that is not there. Pure.
 */
export function liveForest(world: World, options: LiveOptions): readonly LiveNode[] {
  const roots = liveTrees(world, options);
  const told = new Set(roots.flatMap(everyNode).map(({ kind, namespace, name }) => placeOf(kind, { namespace, name })));
  const alone = workloadTypes
    .flatMap((type) => world.list(type))
    .filter(isWorkload)
    .filter(({ kind, metadata }) => !told.has(placeOf(kind, metadata)))
    .map((workload) => liveWorkload(workload, world));
  return withAutoscalers([...roots, ...alone, ...liveJobs(world)], world, options.components);
}

const workloadTypes: readonly ResourceType[] = [daemonsets, statefulsets, deployments];

function everyNode(node: LiveNode): readonly LiveNode[] {
  return [node, ...node.children.flatMap(everyNode)];
}

function placeOf(
  kind: string,
  { namespace = '', name }: { readonly namespace?: string | undefined; readonly name: string },
): string {
  return `${kind} ${namespace}/${name}`;
}

function withAutoscalers(
  nodes: readonly LiveNode[],
  world: World,
  components: readonly RootComponent[],
): readonly LiveNode[] {
  const types = [...components.map(({ rootType }) => rootType), ...workloadTypes];
  const groups = new Map(types.map(({ kind, group }) => [kind, group]));
  const left = new Set(world.list(horizontalpodautoscalers));
  const attached = (node: LiveNode): LiveNode => {
    const own = [...left].filter(({ spec: { scaleTargetRef: target }, metadata }) => {
      const { group } = parseApiVersion(target.apiVersion ?? 'apps/v1');
      return (
        groups.get(node.kind) === group &&
        placeOf(node.kind, node) === placeOf(target.kind, { namespace: metadata.namespace, name: target.name })
      );
    });
    for (const autoscaler of own) left.delete(autoscaler);
    const children = [...own.map((autoscaler) => autoscalerNode(autoscaler)), ...node.children.map(attached)];
    return { ...node, children };
  };
  const trees = nodes.map(attached);
  return [...trees, ...[...left].map((autoscaler) => autoscalerNode(autoscaler, { isAlone: true }))];
}

/** `at 2, between 2 and 6`, and why it does not scale. */
function autoscalerNode(
  { kind, metadata, spec, status }: HorizontalPodAutoscaler,
  { isAlone = false }: { readonly isAlone?: boolean } = {},
): LiveNode {
  const { namespace, name } = metadata;
  const { currentReplicas, desiredReplicas, conditions: found = [] } = status ?? {};
  const { scaleTargetRef: target, minReplicas = 1, maxReplicas } = spec;
  const conditions = found.map(({ type, status, reason = '', message = '' }) => ({ type, status, reason, message }));
  // `ScalingLimited` is no trouble, and says nothing that the numbers do not say.
  const troubles = conditions.filter(({ type, status }) => type !== 'ScalingLimited' && status !== 'True');
  const now = currentReplicas === undefined ? [] : [movement(currentReplicas, desiredReplicas ?? currentReplicas)];
  const aim = isAlone ? [`scales ${target.kind} ${target.name}`] : [];
  return {
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
    state: stateOf(conditions.length, troubles.length),
    notes: [...aim, ...now, `between ${minReplicas} and ${maxReplicas}`],
    problems: troubles.map(({ type, reason, message }) =>
      [type, reason, message].filter((part) => part !== '').join(': '),
    ),
    conditions,
    children: [],
  };
}

function movement(current: number, desired: number): string {
  return current === desired ? `at ${current}` : `${current} → ${desired}`;
}

function stateOf(conditions: number, troubles: number): LiveNode['state'] {
  if (conditions === 0) return 'unknown';
  return troubles === 0 ? 'ready' : 'waiting';
}
