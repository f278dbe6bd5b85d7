import type { Operation, WatchEvent, WatchOperation } from '../../api/operation.ts';
import { StatusError } from '../../api/status.ts';
import { operationAccess } from '../access/requested.ts';
import type { Auditor, AuditTrail } from '../context/auditor.ts';
import type { Authorized } from '../context/served-api.ts';

/** The same for callers in the process, with all that they ask written down. What comes over the wire is written down there. */
export function auditedWays<T extends Authorized>(ways: T, auditor: Auditor): T {
  const begins = (operation: Operation | WatchRequest): AuditTrail => {
    const trail = auditor.begins({ requestUri: uriOf(operation), userAgent: operation.agent, addresses: [] });
    trail.asks({ access: operationAccess(operation), version: operation.resource.version });
    return trail;
  };
  // Who updates or dismisses many at once asks for each of them, and each is written down.
  const { updateEach: _updates, dismissEach: _ends, ...others } = ways;
  return {
    ...(others as T),
    async perform(operation, waiting) {
      const trail = begins(operation);
      try {
        const outcome = await ways.perform(trail.performs(operation), waiting);
        trail.answers(outcome);
        trail.ends(outcome.code);
        return outcome;
      } catch (error) {
        fails(trail, error);
        throw error;
      }
    },
    async *watch(operation, waiting): AsyncGenerator<WatchEvent> {
      const trail = begins({ ...operation, verb: 'watch' });
      let hasBegun = false;
      try {
        for await (const event of ways.watch({ ...operation, annotate: trail.annotate }, waiting)) {
          if (!hasBegun) trail.begun(200);
          hasBegun = true;
          yield event;
        }
        trail.ends(200);
      } catch (error) {
        if (waiting.signal.aborted) trail.ends(200);
        else fails(trail, error);
        throw error;
      }
    },
  };
}

type WatchRequest = WatchOperation & { readonly verb: 'watch' };

function fails(trail: AuditTrail, error: unknown): void {
  if (error instanceof StatusError) trail.ends(error.status);
  else trail.panics();
}

/** The path by which it would have come over the wire. */
function uriOf(operation: Operation | WatchRequest): string {
  const { resource, namespace, verb } = operation;
  const { group, version, resource: plural } = resource;
  const parts = [
    ...(group === '' ? ['api', version] : ['apis', group, version]),
    ...(namespace === undefined || namespace === '' ? [] : ['namespaces', namespace]),
    plural,
    ...('name' in operation && operation.name !== undefined ? [operation.name] : []),
    ...('subresource' in operation && operation.subresource !== undefined ? [operation.subresource] : []),
  ];
  const query = new URLSearchParams();
  const options = verb === 'list' || verb === 'watch' ? operation.options : undefined;
  if (verb === 'watch') query.set('watch', 'true');
  for (const key of ['labelSelector', 'fieldSelector', 'limit', 'continue', 'resourceVersion'] as const)
    if (options?.[key] !== undefined) query.set(key, String(options[key]));
  const path = `/${parts.map(encodeURIComponent).join('/')}`;
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
