import type { Service } from '../../api/generated/core-v1.ts';
import type { GetOperation } from '../../api/operation.ts';
import { badRequest, failure, StatusError } from '../../api/status.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import { readyEndpoints, slicesOf } from '../reading/endpoints.ts';
import { readObject } from '../reading/get.ts';
import type { PodPort, ProxyName } from './proxy-name.ts';

interface Asked {
  readonly served: Served;
  readonly operation: GetOperation;
  readonly name: ProxyName;
}

/** One of the pods that are ready behind a service. Throws 503 when there is none. */
export function servingPod(context: ServerContext, { served, operation, name }: Asked): PodPort {
  const { namespace } = operation;
  const service = readObject(context, { served, namespace, name: name.name }) as Service;
  const port = portOf(service, name.port);
  const ready = readyEndpoints(slicesOf(context, service), port);
  const chosen = ready.length === 0 ? undefined : ready[context.random.below(ready.length)];
  if (chosen === undefined) throw unavailable(`no endpoints available for service "${operation.name}"`);
  const { targetRef, nodeName } = chosen.endpoint;
  if (targetRef?.name === undefined || nodeName === undefined)
    throw unavailable(
      `the endpoint ${chosen.endpoint.addresses[0]} of service "${operation.name}" is no pod; this server reaches only pods, by way of their nodes`,
    );
  return { pod: { name: targetRef.name, node: nodeName }, port: chosen.number, scheme: name.scheme };
}

/** The name of the service's port that is meant, by name or number. */
function portOf({ metadata, spec }: Service, asked: string): string {
  const ports = spec.ports ?? [];
  const found =
    asked === '' && ports.length === 1
      ? ports[0]
      : ports.find(({ name, port }) => name === asked || String(port) === asked);
  if (found !== undefined) return found.name ?? '';
  const known = ports.map(({ name = '', port }) => name || String(port)).join(', ');
  throw asked === ''
    ? new StatusError(
        badRequest(`service "${metadata.name}" has several ports: ask for "${metadata.name}:PORT", one of ${known}`),
      )
    : unavailable(`no service port "${asked}" found for service "${metadata.name}"`);
}

function unavailable(message: string): StatusError {
  return new StatusError(failure(503, 'ServiceUnavailable', message));
}
