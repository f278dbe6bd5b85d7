/** What is told of a request to who audits, from its head to the end of its answer. */

import { anonymous } from '../../api/identities.ts';
import type { Operation, User } from '../../api/operation.ts';
import type { Status } from '../../api/status.ts';
import { fresh } from '../../base/fresh.ts';
import type { Authentication } from '../auth/authenticate.ts';
import type { AuditedAccess, Auditor, AuditTrail } from '../context/auditor.ts';
import type { Access } from '../context/authorizer.ts';
import type { Answer } from './codec/answer.ts';
import type { RequestHead } from './codec/decode.ts';
import { parsePath } from './codec/path.ts';
import { requestedAccess } from './codec/requested.ts';
import { segmentsOf } from './codec/target.ts';
import type { Incoming } from './handler.ts';
import { untilEnded } from './stream.ts';

const header = 'audit-id';
/** A client may give its request a name that it finds again, not a book. */
const givenCharactersMax = 128;

export function auditTrail(auditor: Auditor, { head, address }: Incoming): AuditTrail {
  const given = head.headers[header];
  return auditor.begins({
    requestUri: head.target,
    userAgent: head.headers['user-agent'],
    addresses: addressesOf(head, address),
    givenId: given !== undefined && given !== '' && given.length <= givenCharactersMax ? given : undefined,
  });
}

/** Where it comes from as proxies tell it, then whoever speaks to this server. */
function addressesOf({ headers }: RequestHead, address: string | undefined): readonly string[] {
  const told = (headers['x-forwarded-for'] ?? headers['x-real-ip'] ?? '').split(',').map((each) => each.trim());
  const all = [...told, plainAddress(address ?? '')].filter((each) => /^[0-9a-fA-F.:]+$/.test(each));
  return [...new Set(all)];
}

/** A socket for both families shows an IPv4 address as one of IPv6. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}

/** It is written down under who asks, not under whom they act for. */
export function tellWho(who: Authentication, head: RequestHead, trail: AuditTrail | undefined): void {
  if (trail === undefined) return;
  const asked = auditedAccess(requestedAccess(who.is === 'user' ? who.user : anonymous, head), head);
  if (who.is === 'refused') trail.refusesCredentials(asked);
  else trail.asks(asked);
}

function auditedAccess(access: Access, { target }: RequestHead): AuditedAccess {
  return { access, version: 'path' in access ? undefined : versionIn(target) };
}

function versionIn(target: string): string | undefined {
  try {
    const path = parsePath(segmentsOf(target.split('?', 1)[0] ?? ''));
    return path.is === 'resource' ? path.resource.version : undefined;
  } catch {
    return undefined;
  }
}

/** The answer with the name of its record; one that goes on is told of at its beginning and at its end. */
export function auditedAnswer(answer: Answer, trail: AuditTrail): Answer {
  const { body, code, take } = answer;
  const named: Answer = { ...fresh, ...answer, headers: { ...fresh, ...answer.headers, [header]: trail.id } };
  if (take !== undefined) {
    trail.begun(code);
    return {
      ...named,
      take(connection) {
        connection.socket.once('close', () => trail.ends(code));
        take(connection);
      },
    };
  }
  if (body.is !== 'stream') {
    trail.ends(code);
    return named;
  }
  trail.begun(code);
  return { ...named, body: { is: 'stream', pieces: untilEnded(body.pieces, () => trail.ends(code)) } };
}

export function auditedRefusal(
  answer: Answer,
  { trail, status }: { readonly trail: AuditTrail; readonly status: Status },
): Answer {
  trail.ends(status);
  return { ...fresh, ...answer, headers: { ...fresh, ...answer.headers, [header]: trail.id } };
}

export function audited<T extends Operation>(operation: T, trail: AuditTrail | undefined): T {
  return trail === undefined ? operation : trail.performs(operation);
}

export function actingAs(user: User, trail: AuditTrail | undefined): User {
  trail?.actsAs(user);
  return user;
}
