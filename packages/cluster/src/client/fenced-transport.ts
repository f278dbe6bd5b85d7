import { failure, StatusError } from '../api/status.ts';
import type { Transport } from './transport.ts';

/**
 * The same transport for as long as `mayWrite` holds; after that it reads only. For whoever writes while it holds a lease: a
 * process that was stopped goes on in the middle of what it did, before its own timers tell it how late it is.
 */
export function fencedTransport(transport: Transport, mayWrite: () => boolean): Transport {
  return {
    async perform(operation, waiting) {
      if (operation.verb === 'get' || operation.verb === 'list' || mayWrite())
        return transport.perform(operation, waiting);
      throw new StatusError(
        failure(503, 'ServiceUnavailable', 'the lease was not renewed in time: nothing is written', {}),
      );
    },
    watch: (operation, waiting) => transport.watch(operation, waiting),
  };
}
