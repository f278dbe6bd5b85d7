/**
 * The agent of a node may get and write its lease, and neither list nor watch it. What follows objects does both, so here a
 * list is the one lease that was got, and a watch tells of the agent's own writes: nobody else has reason to write it.
 */
import {
  isStatusError,
  type KubeObject,
  type ListOperation,
  leases,
  type Operation,
  type Outcome,
  type Transport,
  type Waiting,
  type WatchEvent,
  type WatchOperation,
} from '@signalbox/cluster';

export function followingOwnLease(transport: Transport): Transport {
  const watching = new Set<(event: WatchEvent) => void>();
  const tell = (event: WatchEvent): void => {
    for (const hear of watching) hear(event);
  };
  return {
    perform(operation, waiting) {
      if (!isLease(operation)) return transport.perform(operation, waiting);
      if (operation.verb === 'list') return listOfOne(transport, operation, waiting);
      return operation.verb === 'get'
        ? transport.perform(operation, waiting)
        : written(transport.perform(operation, waiting), tell);
    },
    watch: (operation, waiting) =>
      isLease(operation) ? writesUntil(waiting.signal, watching) : transport.watch(operation, waiting),
  };
}

function isLease({ resource }: Operation | WatchOperation): boolean {
  return resource.group === leases.group && resource.resource === leases.resource;
}

async function listOfOne(transport: Transport, operation: ListOperation, waiting: Waiting): Promise<Outcome> {
  const { resource, namespace, user, options } = operation;
  const name = /^metadata\.name=(.+)$/.exec(options.fieldSelector ?? '')?.[1] ?? '';
  const list = (items: readonly KubeObject[], resourceVersion: string): Outcome => ({
    code: 200,
    object: { apiVersion: 'coordination.k8s.io/v1', kind: 'LeaseList', metadata: { resourceVersion }, items },
    warnings: [],
  });
  try {
    const place = { resource, user, name, ...(namespace !== undefined && { namespace }) };
    const { object } = await transport.perform({ ...place, verb: 'get' }, waiting);
    const lease = object as KubeObject;
    return list([lease], lease.metadata.resourceVersion);
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
    return list([], '1');
  }
}

async function written(outcome: Promise<Outcome>, tell: (event: WatchEvent) => void): Promise<Outcome> {
  try {
    const done = await outcome;
    tell({ type: 'MODIFIED', object: done.object as KubeObject });
    return done;
  } catch (error) {
    // Somebody else has written or deleted it: it has to be got again.
    if (isStatusError(error, 'Conflict') || isStatusError(error, 'NotFound') || isStatusError(error, 'AlreadyExists'))
      tell({ type: 'ERROR', object: tooOld });
    throw error;
  }
}

const tooOld: (WatchEvent & { readonly type: 'ERROR' })['object'] = {
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  status: 'Failure',
  code: 410,
  reason: 'Expired',
  message: 'the lease was changed by somebody else',
};

async function* writesUntil(
  signal: AbortSignal,
  watching: Set<(event: WatchEvent) => void>,
): AsyncGenerator<WatchEvent> {
  const waiting: WatchEvent[] = [];
  let wake = (): void => undefined;
  const hear = (event: WatchEvent): void => {
    waiting.push(event);
    wake();
  };
  const stop = (): void => wake();
  watching.add(hear);
  signal.addEventListener('abort', stop);
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    watching.delete(hear);
    signal.removeEventListener('abort', stop);
  }
}
