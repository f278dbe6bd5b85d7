import type { KubeObject } from '../../api/meta.ts';
import type { GetOperation, Outcome } from '../../api/operation.ts';
import { badRequest, internalError, notFound, StatusError } from '../../api/status.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { doorOf } from '../writing/door.ts';
import { learnObject, type Place } from './learn.ts';
import { parseVersion, waitForRevision } from './resource-version.ts';

export async function get(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: GetOperation },
  waiting: { readonly signal: AbortSignal },
): Promise<Outcome<KubeObject>> {
  const { namespace, name, subresource, resourceVersion } = operation;
  if (served.subresources.get(subresource ?? '')?.does === 'log')
    throw new StatusError(badRequest('a log is a stream of text: it cannot be read as an object'));
  const door = doorOf(served, { subresource, verb: 'get' });
  const version = parseVersion(resourceVersion);
  if (version !== undefined) await waitForRevision(context, version, waiting);
  if (served.conversion.learn !== undefined) await learnObject(context, { served, namespace, name }, waiting);
  const object = readObject(context, { served, namespace, name });
  const unreadable = served.subresources.get(subresource ?? '')?.unreadable?.(object);
  if (unreadable !== undefined) throw new StatusError(internalError(unreadable));
  return { code: 200, object: door.read(object), warnings: [] };
}

/** The newest durable version in the form of this API version. Throws 404. */
export function readObject({ store }: ServerContext, { served, namespace, name }: Place): KubeObject {
  const stored = store.get(objectKey(served.prefix, namespace, name));
  if (stored === undefined) throw new StatusError(notFound(served.definition, name));
  return served.conversion.fromStored(stored.value as KubeObject);
}
