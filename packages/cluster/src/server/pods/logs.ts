import type { Pod } from '../../api/generated/core-v1.ts';
import type { GetOperation } from '../../api/operation.ts';
import { badRequest, failure, StatusError } from '../../api/status.ts';
import { fromTimestamp } from '../../base/clock.ts';
import type { LogRequest, ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import { readObject } from '../reading/get.ts';

/** The log of one container as it comes. Throws 400 when it is not clear which container is meant, or none runs yet. */
export async function readLogs(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: GetOperation },
  waiting: { readonly signal: AbortSignal },
): Promise<AsyncIterable<string>> {
  const { namespace, name } = operation;
  const request = logRequest(operation, readObject(context, { served, namespace, name }) as Pod);
  // Without a node there is nothing that could have written anything.
  if (((request.pod as Pod).spec?.nodeName ?? '') === '') return nothing();
  if (context.nodeLogs === undefined)
    throw new StatusError(failure(503, 'ServiceUnavailable', 'this API server has no nodes to read logs from'));
  return context.nodeLogs(request, waiting);
}

async function* nothing(): AsyncGenerator<string> {}

function logRequest(operation: GetOperation, pod: Pod): LogRequest {
  const { parameters = {} } = operation;
  const count = (name: string, least: number): number | undefined => {
    const text = parameters[name];
    if (text === undefined || text === '') return undefined;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least)) throw new StatusError(badRequest(`${name} must be a whole number of at least ${least}`));
    return value;
  };
  const tailLines = count('tailLines', 0);
  const sinceSeconds = count('sinceSeconds', 1);
  const limitBytes = count('limitBytes', 1);
  const sinceMs = time(parameters['sinceTime']);
  if (sinceSeconds !== undefined && sinceMs !== undefined)
    throw new StatusError(badRequest('at most one of `sinceTime` or `sinceSeconds` may be specified'));
  return {
    pod,
    container: containerOf(pod, parameters['container'] ?? ''),
    follow: parameters['follow'] === 'true',
    previous: parameters['previous'] === 'true',
    timestamps: parameters['timestamps'] === 'true',
    ...(tailLines !== undefined && { tailLines }),
    ...(sinceSeconds !== undefined && { sinceSeconds }),
    ...(sinceMs !== undefined && { sinceMs }),
    ...(limitBytes !== undefined && { limitBytes }),
    operation,
  };
}

function time(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const timeMs = fromTimestamp(text);
  if (Number.isNaN(timeMs)) throw new StatusError(badRequest(`sinceTime is no RFC 3339 time: ${JSON.stringify(text)}`));
  return timeMs;
}

/** The container that is meant. Throws 400 when that is not clear. */
export function containerOf({ metadata, spec }: Pod, asked: string): string {
  const names = (list: readonly { readonly name: string }[] | undefined): readonly string[] =>
    (list ?? []).map(({ name }) => name);
  const usual = names(spec?.containers);
  const init = names(spec?.initContainers);
  if (asked === '') {
    if (usual.length === 1) return usual[0] ?? '';
    const beside = init.length === 0 ? '' : ` or one of the init containers: [${init.join(' ')}]`;
    throw new StatusError(
      badRequest(
        `a container name must be specified for pod ${metadata.name}, choose one of: [${usual.join(' ')}]${beside}`,
      ),
    );
  }
  if ([...usual, ...init, ...names(spec?.ephemeralContainers)].includes(asked)) return asked;
  throw new StatusError(badRequest(`container ${asked} is not valid for pod ${metadata.name}`));
}
