import type { Node, Pod, Secret, ServiceAccount } from '../../api/generated/core-v1.ts';
import { serviceAccountUserName } from '../../api/identities.ts';
import type { KubeObject } from '../../api/meta.ts';
import { isObject, type JsonObject } from '../../api/record.ts';

/** What a token is bound to: it ends with that object. */
export interface Bound {
  readonly pod?: Pod;
  readonly secret?: Secret;
  /** Of a pod: where it runs, known or not; else what the token is bound to itself. */
  readonly node?: Reference;
}

export interface Reference {
  readonly name: string;
  readonly uid?: string;
}

export interface Claiming {
  readonly issuer: string;
  readonly account: ServiceAccount;
  readonly bound: Bound;
  readonly audiences: readonly string[];
  readonly nowMs: number;
  readonly lifeSeconds: number;
  /** From when on it is older than it was asked for. */
  readonly warnAfterSeconds: number | undefined;
  /** Tells this token from every other. */
  readonly id: string;
}

/** Names are upstream's: in-cluster clients and those who check tokens themselves read them. */
export function claimsOf(claiming: Claiming): JsonObject {
  const { issuer, account, bound, audiences, nowMs, lifeSeconds, warnAfterSeconds, id } = claiming;
  const { namespace = '', name } = account.metadata;
  const now = Math.floor(nowMs / 1000);
  return {
    aud: audiences,
    exp: now + lifeSeconds,
    iat: now,
    iss: issuer,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...(bound.node !== undefined && { node: bound.node }),
      ...(bound.pod !== undefined && { pod: referenceTo(bound.pod) }),
      ...(bound.secret !== undefined && { secret: referenceTo(bound.secret) }),
      serviceaccount: referenceTo(account),
      ...(warnAfterSeconds !== undefined && { warnafter: now + warnAfterSeconds }),
    },
    nbf: now,
    sub: serviceAccountUserName(namespace, name),
  };
}

export function referenceTo({ metadata: { name, uid } }: KubeObject | Node): Reference {
  return { name, uid };
}

export const secretTokenIssuer = 'kubernetes/serviceaccount';

/** Of a token without an end, which is kept in a Secret and goes with it. */
export function secretClaimsOf(account: ServiceAccount, secret: Secret): JsonObject {
  const { namespace = '', name, uid } = account.metadata;
  return {
    iss: secretTokenIssuer,
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secret.metadata.name,
    'kubernetes.io/serviceaccount/service-account.name': name,
    'kubernetes.io/serviceaccount/service-account.uid': uid,
    sub: serviceAccountUserName(namespace, name),
  };
}

/** What a token says, whichever of the two kinds it is. */
export interface Claimed {
  readonly is: 'request' | 'secret';
  readonly namespace: string;
  readonly account: Reference;
  readonly pod: Reference | undefined;
  readonly node: Reference | undefined;
  readonly secret: Reference | undefined;
  /** Empty: for the API server alone. */
  readonly audiences: readonly string[];
  /** Epoch. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly id: string | undefined;
}

/** Undefined when it says something else: an older or newer program may have signed it. */
export function readClaims(
  claims: JsonObject,
  { issuer, formerIssuers = [] }: { readonly issuer: string; readonly formerIssuers?: readonly string[] },
): Claimed | undefined {
  const by = claims['iss'];
  if (by === issuer || formerIssuers.some((each) => each === by)) return requestClaims(claims);
  if (claims['iss'] === secretTokenIssuer) return secretClaims(claims);
  return undefined;
}

function requestClaims({ aud, exp, nbf, jti, sub, 'kubernetes.io': own }: JsonObject): Claimed | undefined {
  if (!isObject(own) || typeof exp !== 'number' || typeof nbf !== 'number') return undefined;
  const namespace = own['namespace'];
  const account = reference(own['serviceaccount']);
  const audiences = Array.isArray(aud) ? aud.filter((each) => typeof each === 'string') : [];
  if (typeof namespace !== 'string' || account === undefined) return undefined;
  if (sub !== serviceAccountUserName(namespace, account.name)) return undefined;
  return {
    is: 'request',
    namespace,
    account,
    pod: reference(own['pod']),
    node: reference(own['node']),
    secret: reference(own['secret']),
    audiences,
    fromMs: nbf * 1000,
    untilMs: exp * 1000,
    id: typeof jti === 'string' ? jti : undefined,
  };
}

function secretClaims(claims: JsonObject): Claimed | undefined {
  const part = (name: string): unknown => claims[`kubernetes.io/serviceaccount/${name}`];
  const namespace = part('namespace');
  const account = reference({ name: part('service-account.name'), uid: part('service-account.uid') });
  const secret = reference({ name: part('secret.name') });
  if (typeof namespace !== 'string' || account === undefined || secret === undefined) return undefined;
  if (claims['sub'] !== serviceAccountUserName(namespace, account.name)) return undefined;
  return {
    is: 'secret',
    namespace,
    account,
    pod: undefined,
    node: undefined,
    secret,
    audiences: [],
    fromMs: 0,
    untilMs: Infinity,
    id: undefined,
  };
}

function reference(value: unknown): Reference | undefined {
  if (!isObject(value)) return undefined;
  const { name, uid } = value;
  if (typeof name !== 'string' || name === '') return undefined;
  return { name, ...(typeof uid === 'string' && { uid }) };
}
