import type { KubeObject } from '../../api/meta.ts';
import { isObject, type JsonObject, without } from '../../api/record.ts';
import type { Review } from '../context/reviewer.ts';
import type { WriteRequest } from '../context/write-request.ts';

/**
 * An object as upstream shows it to those who may change it, before it has been given what the server gives: that comes after
 * all changes. What the client itself has sent of it is there.
 */
export function beforehand(
  object: KubeObject,
  { verb, operation }: Pick<WriteRequest, 'verb' | 'operation'>,
): KubeObject {
  const body = operation !== undefined && 'body' in operation && isObject(operation.body) ? operation.body : {};
  const sent = isObject(body['metadata']) ? body['metadata'] : {};
  // A patch carries over what is there.
  if (verb !== 'create' && verb !== 'update') return object;
  const isNew = verb === 'create';
  const left = [...fromServer, 'name'].filter((field) => (sent[field] ?? '') === '');
  const metadata = without(
    object.metadata as unknown as JsonObject,
    isNew ? [...left, ...fromServer, 'generation'] : left.filter((field) => field !== 'name'),
  );
  const kept = { ...object, metadata } as unknown as KubeObject;
  return isNew && 'status' in object ? ({ ...kept, status: body['status'] ?? {} } as KubeObject) : kept;
}

const fromServer: readonly string[] = ['uid', 'resourceVersion', 'creationTimestamp'];

/** An object that is not stored yet has no version. */
export function unstored(object: KubeObject | undefined): KubeObject | undefined {
  if (object?.metadata?.resourceVersion !== '') return object;
  const { resourceVersion: _none, ...metadata } = object.metadata;
  return { ...object, metadata } as KubeObject;
}

/** With the name that the server has made up, which who changed it has not seen. */
export function asReviewed(changed: KubeObject, { does, object }: Review): KubeObject {
  const { metadata } = changed;
  if (does !== 'create' || object === undefined || (metadata?.name ?? '') !== '') return changed;
  return { ...changed, metadata: { ...metadata, name: object.metadata.name } };
}
