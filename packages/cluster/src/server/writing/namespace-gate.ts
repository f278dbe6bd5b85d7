import { namespaces } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { conflict, forbidden, notFound, StatusError } from '../../api/status.ts';
import type { ServerContext } from '../context/context.ts';
import { collectionPrefix, objectKey, resourcePrefix } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import type { Incoming } from '../intake/body.ts';

const namespacesPrefix = resourcePrefix(namespaces);

/** Objects live in a namespace that exists and does not end: 404 and 403 otherwise. */
export function checkNamespace({ store }: ServerContext, { definition }: Served, { metadata }: Incoming): void {
  const { namespace } = metadata;
  if (!definition.namespaced || namespace === undefined) return;
  const found = store.get(objectKey(namespacesPrefix, undefined, namespace))?.value as KubeObject | undefined;
  if (found === undefined) throw new StatusError(notFound(namespaces, namespace));
  if (found.metadata.deletionTimestamp === undefined) return;
  throw new StatusError(
    forbidden(
      definition,
      metadata.name ?? '',
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    ),
  );
}

/**
 * Counts creates from the check of their namespace until they are durable. Between the two the namespace may begin to
 * end and be listed as empty; {@link checkEmpty} then still knows about them.
 */
export async function whileCreating<T>(
  { creating }: ServerContext,
  namespace: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (namespace === undefined) return work();
  creating.set(namespace, (creating.get(namespace) ?? 0) + 1);
  try {
    return await work();
  } finally {
    const left = (creating.get(namespace) ?? 1) - 1;
    if (left === 0) creating.delete(namespace);
    else creating.set(namespace, left);
  }
}

/** A namespace may end when nothing is in it and nothing on its way (409 otherwise). */
export function checkEmpty({ store, registry, creating }: ServerContext, namespace: string): void {
  const arriving = creating.has(namespace);
  const kept = registry
    .all()
    .filter(({ definition }) => definition.namespaced)
    .find(({ prefix }) => {
      const found = store.list(collectionPrefix(prefix, namespace), { limit: 1 });
      return !('expired' in found) && found.items.length > 0;
    });
  if (!arriving && kept === undefined) return;
  const what = kept === undefined ? 'objects are being created in it' : `${kept.definition.resource} are left in it`;
  throw new StatusError(conflict(namespaces, namespace, `the namespace is not empty: ${what}`));
}
