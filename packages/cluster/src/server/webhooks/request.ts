import type { KubeObject } from '../../api/meta.ts';
import type { User } from '../../api/operation.ts';
import { type JsonObject, without } from '../../api/record.ts';
import type { AdmissionFacts, MatchedAs } from '../admission/matching.ts';
import type { AskedOperation, WriteRequest } from '../context/write-request.ts';

export interface AdmissionQuestion {
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly facts: AdmissionFacts;
  /** Under which of its names the webhook takes the resource; the objects are of that version. */
  readonly as: MatchedAs;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly request: Pick<WriteRequest, 'user' | 'dryRun' | 'operation'>;
}

export type ReviewVersion = 'v1' | 'v1beta1';

/** The first of the versions that this server speaks as well. */
export function reviewVersion(understood: readonly string[]): ReviewVersion | undefined {
  return understood.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1');
}

/** What is posted to a webhook: an AdmissionReview. */
export function admissionReview(question: AdmissionQuestion): JsonObject {
  const { version, uid, facts, as, object, oldObject, request } = question;
  const { subresource, name, namespace, operation } = facts;
  const { group, kind } = as.kind;
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      kind: { group, version: as.kind.version, kind },
      resource: as.resource,
      ...(subresource !== '' && { subResource: subresource }),
      requestKind: { group: facts.kind.group, version: facts.kind.version, kind: facts.kind.kind },
      requestResource: facts.resource,
      ...(subresource !== '' && { requestSubResource: subresource }),
      ...(name !== '' && { name }),
      ...(namespace !== '' && { namespace }),
      operation,
      userInfo: userInfo(request.user),
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun: request.dryRun,
      options: operation === 'CONNECT' ? null : optionsOf(operation, request.operation),
    },
  };
}

function userInfo({ name, uid, groups, extra = {} }: User): JsonObject {
  return {
    username: name,
    ...(uid !== undefined && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

const optionKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/** As they stand on the wire. A patch has those of the update that it is. */
function optionsOf(kind: keyof typeof optionKinds, operation: AskedOperation | undefined): JsonObject {
  const front = { kind: optionKinds[kind], apiVersion: 'meta.k8s.io/v1' };
  if (operation === undefined || !('options' in operation)) return front;
  const { dryRun, ...options } = operation.options;
  return { ...front, ...without(options, ['force']), ...(dryRun === true && { dryRun: ['All'] }) };
}

/** A new object as upstream shows it before it has been given what the server gives: that comes after all changes. */
export function beforeCreation(object: KubeObject, name: string): KubeObject {
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    generation: _counted,
    ...kept
  } = object.metadata;
  const metadata = name === '' ? without(kept, ['name']) : kept;
  return { ...object, metadata } as KubeObject;
}

/** An object that is not stored yet has no version. */
export function unstored(object: KubeObject | undefined): KubeObject | undefined {
  if (object?.metadata?.resourceVersion !== '') return object;
  const { resourceVersion: _none, ...metadata } = object.metadata;
  return { ...object, metadata } as KubeObject;
}
