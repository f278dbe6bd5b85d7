import type { Outcome } from '../../api/operation.ts';
import type { Status } from '../../api/status.ts';

/** What a create through a subresource answers with. */
export const created: Outcome<Status> = Object.freeze({
  code: 201,
  object: Object.freeze({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }),
  warnings: [],
});
