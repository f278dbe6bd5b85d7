import type { Node, Pod } from '../api/generated/core-v1.ts';
import { nodes as nodesType } from '../api/generated/kinds.ts';
import { failure, StatusError } from '../api/status.ts';
import { createClient } from '../client/create-client.ts';
import type { Platform } from '../runtime/component.ts';
import { containerLog, type LogQuery } from './logs.ts';

/** What the API server asks about a pod on its node: the kubelets of the cluster, whatever they are. */
export interface NodeDriver {
  /** What a container has written. Throws as upstream's server does when the pod's node is not there or does not answer. */
  log(pod: Pod, query: LogQuery, waiting: { readonly signal: AbortSignal }): AsyncIterable<string>;
}

/** The machines of the fleet, as the API server reaches them. */
export function createMachines({ transport, clock }: Pick<Platform, 'transport' | 'clock'>): NodeDriver {
  const client = createClient(transport, {
    name: 'system:apiserver',
    groups: ['system:masters', 'system:authenticated'],
  });
  return {
    async *log(pod, query, { signal }) {
      // Throws 404 for a node that is not there: a pod may name any.
      const node = await client.get(nodesType, { name: pod.spec.nodeName ?? '', signal });
      if (isStopped(node)) {
        const { reason: _unknown, ...status } = failure(500, 'InternalError', unanswered(node, pod, query.container));
        throw new StatusError(status);
      }
      yield* containerLog(pod, query, { clock, signal });
    },
  };
}

export const stoppedAnnotation = 'signalbox.dev/stopped';

/** A machine without power: nobody answers there. */
export function isStopped({ metadata }: Node): boolean {
  return metadata.annotations?.[stoppedAnnotation] === 'true';
}

const kubeletPort = 10_250;

/** Clients show this as it is, as upstream's server shows what its own request to the kubelet met. */
function unanswered({ status }: Node, { metadata }: Pod, container: string): string {
  const address = status.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  if (address === undefined) return 'no preferred addresses found; known addresses: []';
  const at = `${address}:${kubeletPort}`;
  return `Get "https://${at}/containerLogs/${metadata.namespace}/${metadata.name}/${container}": dial tcp ${at}: i/o timeout`;
}
