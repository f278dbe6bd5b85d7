import type { User } from '../../api/operation.ts';
import type { Served } from '../context/registry.ts';
import type { WriteRequest } from '../context/write-request.ts';

const serverUser: User = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

const never: AbortSignal = new AbortController().signal;

/** A write that nobody asked for but the server itself. */
export function ownRequest(served: Served, verb: WriteRequest['verb']): WriteRequest {
  return { served, verb, user: serverUser, dryRun: false, signal: never, warnings: [] };
}
