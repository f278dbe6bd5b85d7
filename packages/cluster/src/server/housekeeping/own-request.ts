import { apiServer } from '../../api/system-identities.ts';
import type { Served } from '../context/registry.ts';
import type { WriteRequest } from '../context/write-request.ts';

const never: AbortSignal = new AbortController().signal;

/** A write that nobody asked for but the server itself. */
export function ownRequest(served: Served, verb: WriteRequest['verb']): WriteRequest {
  return {
    served,
    verb,
    subresource: undefined,
    user: apiServer.user,
    manager: undefined,
    dryRun: false,
    signal: never,
    warnings: [],
  };
}
