import type { Node, Pod } from '../api/generated/core-v1.ts';
import { nodes as nodesType } from '../api/generated/kinds.ts';
import { failure, StatusError } from '../api/status.ts';
import { apiServer } from '../api/system-identities.ts';
import { createClient } from '../client/create-client.ts';
import type { Platform } from '../runtime/component.ts';
import { driverOf, isStopped, type LogQuery, type NodeDriver, type Usage } from './driver.ts';

/** The machines of the cluster, as the rest of the plane reaches them: by the node that a pod is on, never by a guess. */
export interface Machines {
  /** What a container has written. Throws as upstream's server does when the pod's node is not there or does not answer. */
  logs(pod: Pod, query: LogQuery, waiting: { readonly signal: AbortSignal }): AsyncIterable<string>;
  /** Undefined when nobody measures the pod, or its machine does not answer. The nodes must be cached. */
  usage(pod: Pod): Usage | undefined;
}

export interface MachinesOptions extends Pick<Platform, 'transport' | 'informers'> {
  /** Those of the agent that runs now. */
  readonly drivers: () => readonly NodeDriver[];
}

export function createMachines({ transport, informers, drivers }: MachinesOptions): Machines {
  const client = createClient(transport, apiServer.user);
  const answering = (node: Node): NodeDriver | undefined => (isStopped(node) ? undefined : driverOf(node, drivers()));
  return {
    async *logs(pod, query, { signal }) {
      // Throws 404 for a node that is not there: a pod may name any.
      const node = await client.get(nodesType, { name: pod.spec.nodeName ?? '', signal });
      const driver = answering(node);
      if (driver === undefined) {
        const { reason: _unknown, ...status } = failure(500, 'InternalError', unanswered(node, pod, query.container));
        throw new StatusError(status);
      }
      yield* driver.logs(pod, query, { signal });
    },
    usage(pod) {
      const node = informers.of(nodesType).get(pod.spec.nodeName ?? '');
      return node && answering(node)?.usage(pod);
    },
  };
}

const kubeletPort = 10_250;

/** Clients show this as it is, as upstream's server shows what its own request to the kubelet met. */
function unanswered({ status }: Node, { metadata }: Pod, container: string): string {
  const address = status.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  if (address === undefined) return 'no preferred addresses found; known addresses: []';
  const at = `${address}:${kubeletPort}`;
  return `Get "https://${at}/containerLogs/${metadata.namespace}/${metadata.name}/${container}": dial tcp ${at}: i/o timeout`;
}
