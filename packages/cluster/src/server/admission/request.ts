import type { User } from '../../api/operation.ts';
import { type JsonObject, without } from '../../api/record.ts';
import type { AskedOperation, WriteRequest } from '../context/write-request.ts';
import type { AdmissionFacts, MatchedAs } from './matching.ts';

export interface Described {
  readonly facts: AdmissionFacts;
  /** Under which of its names the resource is taken. */
  readonly as: MatchedAs;
  readonly request: Pick<WriteRequest, 'user' | 'dryRun' | 'operation'>;
}

/** A request as an AdmissionReview and the variable `request` of expressions tell of it, but for its objects. */
export function describeRequest({ facts, as, request }: Described): JsonObject {
  const { subresource, name, namespace, operation } = facts;
  const { group, version, kind } = as.kind;
  return {
    kind: { group, version, kind },
    resource: as.resource,
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: { group: facts.kind.group, version: facts.kind.version, kind: facts.kind.kind },
    requestResource: facts.resource,
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: userInfo(request.user),
    dryRun: request.dryRun,
    options: operation === 'CONNECT' ? null : optionsOf(operation, request.operation),
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
