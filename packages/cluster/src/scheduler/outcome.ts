import type { Pod, PodCondition } from '../api/generated/core-v1.ts';
import { pods as podsType } from '../api/generated/kinds.ts';
import { ifFound, isStatusError } from '../api/status.ts';
import { type Clock, toTimestamp } from '../base/clock.ts';
import type { Client } from '../client/client.ts';
import { podCondition, saidOf } from '../resources/core/pod/facts.ts';
import type { EventRecorder } from '../runtime/events.ts';
import { createExecutor, type Performed } from '../runtime/executor.ts';
import type { Action } from '../runtime/plan.ts';
import type { PodView } from './pod-view.ts';
import type { MakesRoom } from './preempt.ts';

/** What the scheduler does to the API, and nothing that it decides. */
export interface Outcomes {
  bind(pod: PodView, node: string): Promise<void>;
  /** Where the API has the pod: a node, nowhere (`''`), or undefined when it is gone. */
  place(pod: PodView): Promise<string | undefined>;
  /** Says on the pod and in an event why it waits. */
  reportUnplaced(pod: PodView, report: UnplacedReport): Promise<void>;
  evict(preemptor: PodView, preemption: MakesRoom): Promise<void>;
  /** Writes what has to be there first; resolves with what keeps the caches from knowing, or why it went wrong. */
  perform(actions: readonly Action[]): Promise<Performed>;
  /** Somebody more important has taken the room that was being cleared for it. */
  denominate(pod: PodView): Promise<void>;
}

export interface UnplacedReport {
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  readonly nominatedNode: string | undefined;
}

export interface OutcomeOptions {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly schedulerName: string;
}

export function createOutcomes(options: OutcomeOptions): Outcomes {
  const { client, events, clock, signal, schedulerName } = options;
  const executor = createExecutor({ client, events });
  const message = `${schedulerName}: preempting to accommodate a higher priority pod`;
  const why = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message };
  return {
    async bind({ pod }, node) {
      const { namespace, name, uid } = pod.metadata;
      const body = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { namespace, name, uid },
        target: { apiVersion: 'v1', kind: 'Node', name: node },
      };
      await client.post(podsType, { signal, namespace, name, subresource: 'binding', body });
      events.emit({
        regarding: pod,
        type: 'Normal',
        reason: 'Scheduled',
        note: `Successfully assigned ${namespace}/${name} to ${node}`,
      });
    },
    perform: (actions) => executor.run([{ do: 'inOrder', actions }], { signal }),
    place: ({ pod }) => placeOf(pod, { client, signal }),
    async reportUnplaced({ pod }, { reason, message, nominatedNode }) {
      events.emit({ regarding: pod, type: 'Warning', reason: 'FailedScheduling', note: message });
      const before = podCondition(pod, 'PodScheduled');
      const isSaid = before?.status === 'False' && before.reason === reason && before.message === message;
      if (isSaid && (pod.status.nominatedNodeName ?? '') === (nominatedNode ?? '')) return;
      const condition = { type: 'PodScheduled', status: 'False', reason, message };
      const nomination =
        nominatedNode === undefined
          ? pod.status.nominatedNodeName === undefined
            ? {}
            : { nominatedNodeName: null }
          : { nominatedNodeName: nominatedNode };
      await setCondition(pod, { said: condition, extra: nomination, client, clock, signal }).catch(unlessGone);
    },
    async denominate({ pod }) {
      const { namespace, name, uid } = pod.metadata;
      const body = { metadata: { uid }, status: { nominatedNodeName: null } };
      await client
        .patch(podsType, { signal, namespace, name, subresource: 'status', patchType: 'merge', body })
        .catch(unlessGone);
    },
    async evict(preemptor, { node, victims }) {
      const note = `Preempted by pod ${preemptor.uid} on node ${node}`;
      const now = toTimestamp(clock.nowMs());
      // Those who are going already as well, as upstream: what says why tells the preemptor to wait for them.
      const dismissals = victims.map(({ pod }) => ({ condition: saidOf(pod, { said: why, now }), ...meant(pod) }));
      const told = await client.dismissEach(podsType, dismissals, { signal });
      for (const [index, { pod }] of victims.entries())
        if (!(told[index] instanceof Error) || isGone(told[index]))
          events.emit({ regarding: pod, related: preemptor.pod, type: 'Normal', reason: 'Preempted', note });
      const failed = told.find((each) => each instanceof Error && !isGone(each));
      if (failed !== undefined) throw failed as Error;
    },
  };
}

interface Setting extends Pick<OutcomeOptions, 'client' | 'clock' | 'signal'> {
  readonly said: PodCondition;
  /** What else of the status is said. */
  readonly extra: object;
}

function setCondition(pod: Pod, { said, extra, client, clock, signal }: Setting): Promise<unknown> {
  const { namespace, name, uid } = meant(pod);
  const condition = saidOf(pod, { said, now: toTimestamp(clock.nowMs()) });
  const body = { metadata: { uid }, status: { conditions: [condition], ...extra } };
  return client.patch(podsType, { signal, namespace, name, subresource: 'status', patchType: 'strategic', body });
}

function meant({ metadata: { namespace = '', name, uid } }: Pod): {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
} {
  return { namespace, name, uid };
}

async function placeOf(
  { metadata: { namespace, name, uid } }: Pod,
  { client, signal }: Pick<OutcomeOptions, 'client' | 'signal'>,
): Promise<string | undefined> {
  const live = await ifFound(client.get(podsType, { signal, namespace, name }));
  return live?.metadata.uid === uid ? (live.spec.nodeName ?? '') : undefined;
}

/** The pod ended meanwhile: what was to be said or done about it has no object any more. */
function unlessGone(error: unknown): void {
  if (!isGone(error)) throw error;
}

function isGone(error: unknown): boolean {
  return isStatusError(error, 'NotFound') || isStatusError(error, 'Conflict');
}
