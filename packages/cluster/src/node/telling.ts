/** What the node agent tells the API: the only place where it writes. */
import type { Lease } from '../api/generated/coordination-v1.ts';
import type { Pod } from '../api/generated/core-v1.ts';
import { leases as leasesType, nodes as nodesType, pods as podsType } from '../api/generated/kinds.ts';
import { isStatusError } from '../api/status.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../runtime/events.ts';
import type { NodeAction } from './node-plan.ts';
import type { PodAction } from './pod-plan.ts';

export interface Telling {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** Performs what was planned for a pod; orders to its driver were given before. */
export async function tellOfPod(
  action: PodAction,
  { pod, client, signal, events }: Telling & { readonly pod: Pod; readonly events: EventRecorder },
): Promise<void> {
  switch (action.do) {
    case 'start':
    case 'stop':
      return;
    case 'remove': {
      const { namespace, name, uid } = pod.metadata;
      await client.delete(podsType, { signal, namespace, name, gracePeriodSeconds: 0, preconditions: { uid } });
      return;
    }
    case 'report':
      await client.update(podsType, { ...pod, status: action.status }, { signal, subresource: 'status' });
      for (const event of action.events) events.emit({ regarding: pod, ...event });
      return;
    default:
      action satisfies never;
  }
}

export function tellOfNode(
  action: Exclude<NodeAction, { do: 'renew lease' }>,
  { client, signal }: Telling,
): Promise<unknown> {
  switch (action.do) {
    case 'register':
      return client.create(nodesType, action.node, { signal }).catch(unlessExists);
    case 'mark': {
      const { name } = action.node.metadata;
      return client.patch(nodesType, { signal, name, patchType: 'merge', body: { metadata: action.marks } });
    }
    case 'report': {
      const { name, uid } = action.node.metadata;
      const body = { metadata: { uid }, status: ownStatus(action) };
      return client.patch(nodesType, { signal, name, patchType: 'merge', subresource: 'status', body });
    }
    case 'create lease':
      return client.create(leasesType, action.lease, { signal }).catch(unlessExists);
    default:
      return action satisfies never;
  }
}

/** As a merge patch. What is attached to it others say, and may have said otherwise by now. */
function ownStatus({ node, status }: Extract<NodeAction, { do: 'report' }>): object {
  const { volumesAttached: _others, ...own } = status;
  const isFreed = node.status.volumesInUse !== undefined && own.volumesInUse === undefined;
  return isFreed ? { ...own, volumesInUse: null } : own;
}

/** Gives a sign of life; returns what it was written as. Its promise is the client's own: there are hundreds a second. */
export function renew(lease: Lease, { client, signal }: Telling): Promise<Lease> {
  return client.update(leasesType, lease, { signal });
}

/** The same for those of many nodes; what each was written as, or why it was not. */
export function renewEach(leases: readonly Lease[], { client, signal }: Telling): Promise<readonly (Lease | Error)[]> {
  return client.updateEach(leasesType, leases, { signal });
}

function unlessExists(error: unknown): void {
  if (!isStatusError(error, 'AlreadyExists')) throw error;
}
