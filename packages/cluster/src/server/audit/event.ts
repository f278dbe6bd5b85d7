import type { User } from '../../api/operation.ts';
import type { Status } from '../../api/status.ts';
import type { Access } from '../context/authorizer.ts';
import type { AuditLevel, AuditStage } from './policy.ts';

/** One line of an audit log, as `audit.k8s.io/v1` has it. */
export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditObject;
  readonly responseStatus?: Partial<Omit<Status, 'kind' | 'apiVersion'>>;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface AuditUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface AuditObject {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

export function auditUser({ name, uid, groups, extra }: User): AuditUser {
  return {
    username: name,
    ...(uid !== undefined && uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(extra !== undefined && Object.keys(extra).length > 0 && { extra }),
  };
}

/** What a request is about; undefined for one that is about no resource. */
export function auditObject(access: Access, version: string | undefined): AuditObject | undefined {
  if ('path' in access) return undefined;
  const [resource = '', subresource] = access.resource.split('/');
  const { namespace, name, group } = access;
  return {
    resource,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(group !== '' && { apiGroup: group }),
    ...(version !== undefined && { apiVersion: version }),
    ...(subresource !== undefined && { subresource }),
  };
}

/** How it ended: a code alone where nothing more was said. */
export function auditStatus(answered: number | Status): NonNullable<AuditEvent['responseStatus']> {
  if (typeof answered === 'number') return { metadata: {}, code: answered };
  const { status, message, reason, details, code } = answered;
  return {
    metadata: {},
    status,
    ...(message !== undefined && { message }),
    ...(reason !== undefined && { reason }),
    ...(details !== undefined && Object.keys(details).length > 0 && { details }),
    code,
  };
}
