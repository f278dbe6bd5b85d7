import type { Outcome } from '../../api/operation.ts';
import type { Status } from '../../api/status.ts';

/** What a create through a subresource answers with. */
export function created(warnings: readonly string[]): Outcome<Status> {
  return { code: 201, object: status, warnings: [...new Set(warnings)] };
}

const status: Status = Object.freeze({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
});
