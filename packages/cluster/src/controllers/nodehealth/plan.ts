import { datedCondition } from '../../api/conditions.ts';
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { nodes, pods as podsType } from '../../api/generated/kinds.ts';
import { fromTimestamp, toTimestamp } from '../../base/clock.ts';
import { podReady } from '../../resources/core/pod/facts.ts';
import type { Action, Plan } from '../../runtime/plan.ts';
import { nodeCondition, silentConditions } from './conditions.ts';
import { planEvictions, taintId } from './evictions.ts';
import { correctedLabels } from './labels.ts';
import { correctedTaints, type Driving, noExecuteTaints } from './taints.ts';

export interface Observed {
  readonly node: Node;
  /** All pods that are bound to the node. */
  readonly pods: readonly Pod[];
  /** Whether the node has not given a sign of life for too long. */
  readonly isSilent: boolean;
  readonly driving: Driving;
  readonly memory: Memory | undefined;
}

/** Kept for nodes in trouble only. */
export interface Memory {
  /** When NoExecute taints that carry no time were first seen. */
  readonly seenMs: ReadonlyMap<string, number>;
  /** Uids of pods whose patience is running out. */
  readonly expected: ReadonlySet<string>;
}

const noMemory: Memory = { seenMs: new Map(), expected: new Set() };

/** What has to be written about a node, and to its pods, because of its health and its taints. */
export function plan({ node, pods, isSilent, driving, memory = noMemory }: Observed, nowMs: number): Plan<Memory> {
  const silent = isSilent ? silentConditions(node, nowMs) : undefined;
  // Taints follow from conditions, so they wait until these are written.
  if (silent !== undefined) return { actions: fallSilent(node, silent), memory };
  const taints = noExecuteTaints(node);
  const seenMs = new Map(
    taints
      .filter(({ timeAdded }) => Number.isNaN(fromTimestamp(timeAdded ?? '')))
      .map((taint) => [taintId(taint), memory.seenMs.get(taintId(taint)) ?? nowMs]),
  );
  const evictions = planEvictions({ pods, taints, nowMs, seenMs, expected: memory.expected });
  const ready = nodeCondition(node, 'Ready')?.status;
  // A node that reports trouble goes on reporting about its pods; a silent one does not, so nobody contradicts.
  const losesPods = ready === 'Unknown';
  const isWorthRemembering =
    seenMs.size > 0 || evictions.expected.size > 0 || (ready !== undefined && ready !== 'True');
  return {
    actions: [
      ...taintActions(node, { driving, nowMs }),
      ...labelActions(node),
      ...(losesPods ? unready(pods, nowMs) : []),
      ...evictions.actions,
    ],
    againInMs: evictions.nextInMs,
    memory: isWorthRemembering ? { seenMs, expected: evictions.expected } : undefined,
  };
}

function fallSilent(node: Node, conditions: NonNullable<Node['status']['conditions']>): readonly Action[] {
  const wasReady = nodeCondition(node, 'Ready')?.status === 'True';
  const note = `Node ${node.metadata.name} status is now: NodeNotReady`;
  const object: Node = { ...node, status: { ...node.status, conditions } };
  return [
    { do: 'setStatus', type: nodes, object },
    ...(wasReady ? [{ do: 'emit', regarding: node, type: 'Normal', reason: 'NodeNotReady', note } as const] : []),
  ];
}

function taintActions(
  node: Node,
  { driving, nowMs }: { readonly driving: Driving; readonly nowMs: number },
): readonly Action[] {
  const taints = correctedTaints(node, { driving, nowMs });
  if (taints === undefined) return [];
  // The version keeps the list from undoing a taint that somebody else has just written.
  const body = {
    metadata: { resourceVersion: node.metadata.resourceVersion },
    spec: { taints: taints.length === 0 ? null : taints },
  };
  return [{ do: 'patch', type: nodes, target: node, patchType: 'merge', body }];
}

function labelActions(node: Node): readonly Action[] {
  const labels = correctedLabels(node);
  return labels === undefined
    ? []
    : [{ do: 'patch', type: nodes, target: node, patchType: 'merge', body: { metadata: { labels } } }];
}

/** Takes pods of a silent node out of service. */
function unready(pods: readonly Pod[], nowMs: number): readonly Action[] {
  return pods
    .filter((pod) => podReady(pod))
    .map((pod) => {
      const dating = { before: pod.status.conditions, now: toTimestamp(nowMs) };
      const condition = datedCondition({ type: 'Ready', status: 'False' }, dating);
      const body = { status: { conditions: [condition] } };
      return {
        do: 'inOrder',
        actions: [
          { do: 'patch', type: podsType, target: pod, patchType: 'strategic', subresource: 'status', body },
          { do: 'emit', regarding: pod, type: 'Warning', reason: 'NodeNotReady', note: 'Node is not ready' },
        ],
      };
    });
}
