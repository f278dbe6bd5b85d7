import { failure, StatusError } from '../api/status.ts';
import type { Transport } from './transport.ts';

/**
 * The same transport for as long as `mayWrite` holds; after that it reads only. For whoever writes while it holds a lease: a
 * process that was stopped goes on in the middle of what it did, before its own timers tell it how late it is. So it is asked
 * twice: at once, and when the request leaves, which may have waited for a connection meanwhile.
 */
export function fencedTransport(transport: Transport, mayWrite: () => boolean): Transport {
  const leaves = (): void => {
    if (mayWrite()) return;
    throw new StatusError(
      failure(503, 'ServiceUnavailable', 'the lease was not renewed in time: nothing is written', {}),
    );
  };
  return {
    async perform(operation, waiting) {
      if (operation.verb === 'get' || operation.verb === 'list') return transport.perform(operation, waiting);
      leaves();
      return transport.perform(operation, { ...waiting, leaves });
    },
    watch: (operation, waiting) => transport.watch(operation, waiting),
  };
}
