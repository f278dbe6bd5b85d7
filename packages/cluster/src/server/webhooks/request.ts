import type { KubeObject } from '../../api/meta.ts';
import { isObject, type JsonObject, without } from '../../api/record.ts';
import { type Described, describeRequest } from '../admission/request.ts';
import type { WriteRequest } from '../context/write-request.ts';

export interface AdmissionQuestion extends Described {
  readonly version: ReviewVersion;
  readonly uid: string;
  /** Of the version as which the webhook takes the resource. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

export type ReviewVersion = 'v1' | 'v1beta1';

/** The first of the versions that this server speaks as well. */
export function reviewVersion(understood: readonly string[]): ReviewVersion | undefined {
  return understood.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1');
}

/** What is posted to a webhook: an AdmissionReview. */
export function admissionReview({ version, uid, object, oldObject, ...described }: AdmissionQuestion): JsonObject {
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...describeRequest(described), object: object ?? null, oldObject: oldObject ?? null },
  };
}

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
