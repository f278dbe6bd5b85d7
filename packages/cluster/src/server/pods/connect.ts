import type { Pod } from '../../api/generated/core-v1.ts';
import { nodes, pods } from '../../api/generated/kinds.ts';
import { isSameResource } from '../../api/gvk.ts';
import type { GetOperation, Outcome } from '../../api/operation.ts';
import type { Passed, Passing } from '../../api/passing.ts';
import { badRequest, failure, StatusError } from '../../api/status.ts';
import { outcomeOf } from '../../api/wire/passed.ts';
import { assert } from '../../base/assert.ts';
import type { NodeRequest, ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import { readObject } from '../reading/get.ts';
import { containerOf } from './logs.ts';
import { type PodPort, type ProxyName, proxyName } from './proxy-name.ts';
import { servingPod } from './service-endpoint.ts';

interface Asked {
  readonly served: Served;
  readonly operation: GetOperation;
}

/**
 * Streams into a pod, and what stands behind a proxy: the kubelet of the node has it. Whoever asks is known and allowed by
 * now. Throws 400 when it is not clear what is meant, 404 when it is not there, 503 when nobody serves it.
 */
export async function connectNode(context: ServerContext, asked: Asked, passing: Passing): Promise<Passed> {
  const { nodeDoors } = context;
  assert(nodeDoors !== undefined, 'there are nodes to connect to');
  return nodeDoors(nodeRequest(context, asked, passing), passing);
}

/** The page that stands behind a proxy, for a client in this process. */
export async function readBehind(
  context: ServerContext,
  asked: Asked,
  { signal }: { readonly signal: AbortSignal },
): Promise<Outcome> {
  const { below = '', parameters = {}, name } = asked.operation;
  const query = new URLSearchParams(parameters).toString();
  const passed = await connectNode(context, asked, {
    ...{ method: 'GET', path: below, query, upgrades: false, signal },
    headers: { accept: 'application/json, text/plain;q=0.9, */*;q=0.1' },
    body: async () => Buffer.alloc(0),
  });
  return outcomeOf(passed, `what stands behind ${name}`);
}

function nodeRequest(context: ServerContext, asked: Asked, passing: Passing): NodeRequest {
  const { served, operation } = asked;
  const { resource, subresource = '' } = operation;
  const what = `${resource.resource}/${subresource}`;
  if (subresource !== 'proxy') return { what, ...streamRequest(podOf(context, asked), operation, passing) };
  const name = proxyName(operation.name);
  const query = passing.query === '' ? '' : `?${passing.query}`;
  if (isSameResource(resource, nodes)) {
    readObject(context, { served, namespace: undefined, name: name.name });
    return { what, node: name.name, path: `${passing.path === '' ? '/' : passing.path}${query}` };
  }
  const { pod, port, scheme } = isSameResource(resource, pods)
    ? proxiedPod(podOf(context, asked, name.name), name)
    : servingPod(context, { ...asked, name });
  const { namespace = '' } = operation;
  const path = `${pathOf('proxy', namespace, pod.name, scheme, String(port))}${passing.path || '/'}${query}`;
  return { what, node: pod.node, path };
}

function podOf(context: ServerContext, { served, operation }: Asked, name = operation.name): Pod {
  return readObject(context, { served, namespace: operation.namespace, name }) as Pod;
}

function streamRequest(pod: Pod, operation: GetOperation, { query, upgrades }: Passing): Omit<NodeRequest, 'what'> {
  const { subresource, parameters = {} } = operation;
  const node = nodeOf(pod);
  const { name, namespace = '' } = pod.metadata;
  const asked = new URLSearchParams(query);
  if (!upgrades) throw new StatusError(badRequest('Upgrade request required'));
  if (subresource === 'portforward') {
    const ports = asked.getAll('ports').join(',');
    return { node, path: `${pathOf('portForward', namespace, name)}${ports === '' ? '' : `?port=${ports}`}` };
  }
  const container = containerOf(pod, parameters['container'] ?? '');
  const sent = new URLSearchParams();
  for (const [from, to] of streams) if (isTrue(asked.get(from))) sent.set(to, '1');
  if (subresource === 'exec') for (const command of asked.getAll('command')) sent.append('command', command);
  return { node, path: `${pathOf(subresource ?? '', namespace, name, container)}?${sent.toString()}` };
}

/** What clients call the streams, and what kubelets do. */
const streams = [
  ['stdin', 'input'],
  ['stdout', 'output'],
  ['stderr', 'error'],
  ['tty', 'tty'],
] as const;

export function isTrue(text: string | null): boolean {
  return text !== null && ['1', 't', 'true', ''].includes(text.toLowerCase());
}

function pathOf(...segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

function nodeOf({ metadata, spec }: Pod): string {
  const { nodeName = '' } = spec;
  if (nodeName === '') throw new StatusError(badRequest(`pod ${metadata.name} does not have a host assigned`));
  return nodeName;
}

/** Without a port: the first that a container names. */
function proxiedPod(pod: Pod, { scheme, port }: ProxyName): PodPort {
  const { name } = pod.metadata;
  const first = pod.spec.containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort ?? 80;
  const number = port === '' ? first : Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535)
    throw new StatusError(
      failure(400, 'BadRequest', `pods "${name}" are reached by the number of a port, not "${port}"`),
    );
  return { pod: { name, node: nodeOf(pod) }, port: number, scheme };
}
