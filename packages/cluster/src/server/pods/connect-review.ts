import type { KubeObject } from '../../api/meta.ts';
import type { GetOperation } from '../../api/operation.ts';
import type { Passed, Passing } from '../../api/passing.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import { reviewersOf } from '../context/reviewer.ts';
import type { WriteRequest } from '../context/write-request.ts';
import type { Incoming } from '../intake/body.ts';
import { reviewedBody } from '../writing/reviewed-body.ts';
import { connectNode, isTrue } from './connect.ts';

interface Asked {
  readonly served: Served;
  readonly operation: GetOperation;
}

/** A way into a pod, once those who have to be asked about such ways have let it pass. */
export function connectReviewed(context: ServerContext, asked: Asked, passing: Passing): Promise<Passed> {
  const { served, operation } = asked;
  const request: WriteRequest = {
    ...{ served, operation, verb: 'connect', subresource: operation.subresource, user: operation.user },
    ...{ manager: operation.agent, dryRun: false, signal: passing.signal, warnings: [] },
  };
  const reviewers = reviewersOf(context, request);
  if (reviewers.length === 0) return connectNode(context, asked, passing);
  const options = connectOptions(asked, passing) as unknown as Incoming;
  // Nothing about a way can be changed: it was asked for as it is.
  const asking = { request, reviewers, take: () => options };
  return reviewedBody(context, options, asking).then(() => connectNode(context, asked, passing));
}

const kinds: Readonly<Record<string, string>> = {
  'pods/exec': 'PodExecOptions',
  'pods/attach': 'PodAttachOptions',
  'pods/portforward': 'PodPortForwardOptions',
  'pods/proxy': 'PodProxyOptions',
  'services/proxy': 'ServiceProxyOptions',
  'nodes/proxy': 'NodeProxyOptions',
};

/** What a query asks for as the object that upstream makes of it. */
function connectOptions({ served, operation }: Asked, { query, path }: Passing): Omit<KubeObject, 'metadata'> {
  const { subresource = '' } = operation;
  const asked = new URLSearchParams(query);
  const flag = (name: string): object => (isTrue(asked.get(name)) ? { [name]: true } : {});
  const container = asked.get('container') ?? '';
  const front = { kind: kinds[`${served.definition.resource}/${subresource}`] ?? '', apiVersion: 'v1' };
  switch (subresource) {
    case 'portforward':
      return { ...front, ports: asked.getAll('ports').flatMap((text) => text.split(',').map(Number)) } as typeof front;
    case 'proxy':
      return { ...front, ...(path !== '' && { path }) };
    default:
      return {
        ...front,
        ...{ ...flag('stdin'), ...flag('stdout'), ...flag('stderr'), ...flag('tty') },
        ...(container !== '' && { container }),
        ...(subresource === 'exec' && { command: asked.getAll('command') }),
      };
  }
}
