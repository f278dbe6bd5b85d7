import { mergeConditions } from '../../api/conditions.ts';
import type { DaemonSet, DaemonSetCondition } from '../../api/generated/apps-v1.ts';
import type { Node } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import { counted } from '../../base/counted.ts';
import type { Cache } from '../../client/cache.ts';
import { podCondition } from '../../resources/core/pod/facts.ts';
import type { DaemonPod } from './daemon-pod.ts';
import type { Site } from './sites.ts';

/** Stands in `status.conditions` only while it is true, so that a healthy set has what upstream's has: none. */
export const blockedType = 'RolloutBlocked';

export interface Finding {
  readonly reason: 'NodeNotReady' | 'PodUnschedulable' | 'PodFailing' | 'BackOff';
  readonly message: string;
}

export interface Standing {
  /** Nodes that take up the rollout's budget. */
  readonly inTheWay: readonly Site[];
  /** How many may. */
  readonly budget: number;
  /** Nodes whose old pod serves and waits for its turn. */
  readonly waiting: number;
}

interface Stuck {
  readonly site: Site;
  readonly reason: Finding['reason'];
  readonly why: string;
}

/** The most that a message names; the numbers tell the rest. */
const namedMax = 3;

/**
 * Why a rollout that has nothing to do now will not go on by itself. A pod that is merely starting or stopping is no reason:
 * undefined until all of the budget is held by nodes where somebody has to lend a hand.
 */
export function whyBlocked(
  { inTheWay, budget, waiting }: Standing,
  nodes: Pick<Cache<Node>, 'get'>,
): Finding | undefined {
  if (inTheWay.length === 0) return undefined;
  const freeMax = inTheWay.length - Math.min(Math.max(budget, 1), inTheWay.length);
  const stuck: Stuck[] = [];
  for (const [index, site] of inTheWay.entries()) {
    const found = whyStuck(site, nodes.get(site.node));
    if (found !== undefined) stuck.push(found);
    // Too many of them come along by themselves: nearly always the first few tell.
    else if (index + 1 - stuck.length > freeMax) return undefined;
  }
  const [first] = stuck;
  if (first === undefined) return undefined;
  const named = stuck.slice(0, namedMax).map(({ site, why }) => `${site.node} (${why})`);
  const more = stuck.length > named.length ? ` and ${stuck.length - named.length} more` : '';
  const held = `${counted(stuck.length, 'node')} in the way: ${named.join(', ')}${more}`;
  return { reason: first.reason, message: waiting > 0 ? `${held}; ${counted(waiting, 'node')} waiting` : held };
}

type Conditions = readonly DaemonSetCondition[] | undefined;

/** The conditions as they are to be, what was found by its type: those that others wrote stay. */
export function withFindings(
  { status }: DaemonSet,
  { findings, nowMs }: { readonly findings: Readonly<Record<string, Finding | undefined>>; readonly nowMs: number },
): Conditions {
  let conditions: Conditions = status?.conditions;
  for (const [type, finding] of Object.entries(findings))
    conditions =
      finding === undefined
        ? without(conditions, type)
        : mergeConditions(conditions, [{ type, status: 'True', ...finding }], toTimestamp(nowMs));
  return conditions;
}

function without(conditions: Conditions, gone: string): Conditions {
  if (conditions?.some(({ type }) => type === gone) !== true) return conditions;
  const others = conditions.filter(({ type }) => type !== gone);
  return others.length === 0 ? undefined : others;
}

function whyStuck(site: Site, node: Node | undefined): Stuck | undefined {
  const readiness = node?.status?.conditions?.find(({ type }) => type === 'Ready');
  if (readiness !== undefined && readiness.status !== 'True')
    return { site, reason: 'NodeNotReady', why: 'the node is not ready' };
  for (const pod of site.pods) {
    const stuck = pod.terminating || pod.ready ? undefined : podStuck(pod);
    if (stuck !== undefined) return { site, ...stuck };
  }
  return undefined;
}

function podStuck({ pod, phase }: DaemonPod): Omit<Stuck, 'site'> | undefined {
  const { name } = pod.metadata;
  // It is replaced after a back-off, and may fail again.
  if (phase === 'Failed') return { reason: 'PodFailing', why: `pod ${name} has failed` };
  const scheduled = podCondition(pod, 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return { reason: 'PodUnschedulable', why: `pod ${name} does not fit` };
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const failing = [...initContainerStatuses, ...containerStatuses].find(
    ({ ready, restartCount, state }) => !ready && (restartCount > 0 || isRefusal(state?.waiting?.reason)),
  );
  return failing && { reason: 'PodFailing', why: `container ${failing.name} of pod ${name} does not get ready` };
}

/** Waiting for the image, the network or an init container is part of every start. */
function isRefusal(reason: string | undefined): boolean {
  return reason !== undefined && reason !== 'ContainerCreating' && reason !== 'PodInitializing';
}
