/** How a request for a certificate is decided about (`/approval`), and what becomes of it (`/status`). */
import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { certificatesigningrequests } from '../../api/generated/kinds.ts';
import { type FieldPath, type Issue, root } from '../../api/issue.ts';
import { invalid, StatusError } from '../../api/status.ts';
import { toTimestamp } from '../../base/clock.ts';
import { equal } from '../../base/equal.ts';
import type { Further, Subresource } from '../resource.ts';

type Conditions = NonNullable<CertificateSigningRequest['status']['conditions']>;
type Request = CertificateSigningRequest;

const decisions: readonly string[] = ['Approved', 'Denied'];
const final: readonly string[] = [...decisions, 'Failed'];

const shared = {
  verbs: ['get', 'update', 'patch'],
  kind: { group: 'certificates.k8s.io', version: 'v1', kind: 'CertificateSigningRequest' },
  schema: 'io.k8s.api.certificates.v1.CertificateSigningRequest',
  keepsAsWritten: true,
  read: (request: Request) => request,
} as const;

/** Only conditions are taken. Whoever decides must be allowed to, for the signer that is meant to sign. */
export const approvalDoor: Subresource<Request> = {
  ...shared,
  name: 'approval',
  write(current, body, now) {
    const conditions = dated(body as Request, current, now?.nowMs ?? 0);
    const next = { ...current, status: withConditions(current.status, conditions) };
    return checked(next, current, { mayDecide: true, maySign: false });
  },
  needs: ({ current }) => signerAccess('approve', current),
};

/** The status but for decisions: the certificate, once, and why there is none. */
export const signingDoor: Subresource<Request> = {
  ...shared,
  name: 'status',
  write(current, body, now) {
    const given = body as Request;
    const conditions = keptDecisions(dated(given, current, now?.nowMs ?? 0), current.status?.conditions ?? []);
    const next = { ...current, status: withConditions(given.status ?? {}, conditions) };
    return checked(next, current, { mayDecide: false, maySign: true });
  },
  needs: ({ next, current }) =>
    equal(next.status?.certificate, current.status?.certificate) &&
    equal(next.status?.conditions ?? [], current.status?.conditions ?? [])
      ? undefined
      : signerAccess('sign', current),
};

/** One signer by its name, or all of a domain. */
function signerAccess(verb: 'approve' | 'sign', { spec }: Request): Further {
  const [domain = ''] = spec.signerName.split('/');
  return {
    access: { verb, group: certificatesigningrequests.group, resource: 'signers' },
    names: [spec.signerName, `${domain}/*`],
    resource: certificatesigningrequests.resource,
    refusal: `user not permitted to ${verb} requests with signerName ${JSON.stringify(spec.signerName)}`,
  };
}

function withConditions(status: Request['status'], conditions: Conditions): Request['status'] {
  const { conditions: _old, ...rest } = status;
  return conditions.length === 0 ? rest : { ...rest, conditions };
}

function dated({ status }: Request, current: Request, nowMs: number): Conditions {
  const now = toTimestamp(nowMs);
  return (status?.conditions ?? []).map((condition) => {
    const before = current.status?.conditions?.find(
      ({ type, status: value }) => type === condition.type && value === condition.status,
    );
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? now,
      lastTransitionTime: condition.lastTransitionTime ?? before?.lastTransitionTime ?? now,
    };
  });
}

/** Decisions are as they were, unless some came or went, which is then refused. */
function keptDecisions(conditions: Conditions, before: Conditions): Conditions {
  return decisions.reduce<Conditions>((kept, type) => {
    const old = ofType(before, type);
    if (old.length !== ofType(kept, type).length) return kept;
    let at = 0;
    return kept.map((condition) => (condition.type === type ? (old[at++] ?? condition) : condition));
  }, conditions);
}

function ofType(conditions: Conditions | undefined, type: string): Conditions {
  return (conditions ?? []).filter((condition) => condition.type === type);
}

interface May {
  readonly mayDecide: boolean;
  readonly maySign: boolean;
}

function checked(next: Request, current: Request, may: May): Request {
  if (equal(next.status, current.status)) return current;
  const found = [...statusIssues(next, current, may)];
  if (found.length > 0) throw new StatusError(invalid(certificatesigningrequests, current.metadata.name, found));
  return next;
}

function* statusIssues(next: Request, current: Request, may: May): Iterable<Issue> {
  const at = root('status', 'conditions');
  const [before, after] = [current.status?.conditions, next.status?.conditions];
  yield* conditionIssues(after ?? [], at);
  for (const type of final)
    if (ofType(after, type).length < ofType(before, type).length)
      yield at.forbidden(`updates may not remove a condition of type ${JSON.stringify(type)}`);
  if (!may.mayDecide)
    for (const type of decisions)
      if (ofType(after, type).length > ofType(before, type).length)
        yield at.forbidden(`updates may not add a condition of type ${JSON.stringify(type)}`);
  yield* certificateIssues(next, current, may);
}

function* conditionIssues(conditions: Conditions, at: FieldPath): Iterable<Issue> {
  const seen = new Set<string>();
  for (const [index, { type, status }] of conditions.entries()) {
    const place = at(index);
    if ((type ?? '') === '') yield place('type').required();
    const values = final.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if ((status ?? '') === '') yield place('status').required();
    else if (!values.includes(status)) yield place('status').notSupported(status, values);
    if (decisions.includes(type) && decisions.some((other) => other !== type && seen.has(other)))
      yield at.invalid(type, 'Approved and Denied conditions are mutually exclusive');
    if (seen.has(type)) yield place('type').duplicate(type);
    seen.add(type);
  }
}

function* certificateIssues(next: Request, current: Request, { maySign }: May): Iterable<Issue> {
  const at = root('status', 'certificate');
  const [before, after] = [current.status?.certificate ?? '', next.status?.certificate ?? ''];
  if (before === after) return;
  const fault = certificateFault(after);
  if (fault !== undefined) yield at.invalid('<certificate data>', fault);
  if (!maySign) yield at.forbidden('updates may not set certificate content');
  else if (before !== '') yield at.forbidden('updates may not modify existing certificate content');
}

/** PEM in base64, of certificates and nothing else. */
function certificateFault(certificate: string): string | undefined {
  if (certificate === '') return undefined;
  const blocks = [
    ...Buffer.from(certificate, 'base64')
      .toString('latin1')
      .matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g),
  ];
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const [text, type = '', inside = ''] of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (inside.includes(':')) return 'no PEM block headers are permitted';
    try {
      new X509Certificate(text);
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return undefined;
}
