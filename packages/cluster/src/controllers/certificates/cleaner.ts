import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { certificatesigningrequests } from '../../api/generated/kinds.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { type Controller, primary } from '../../runtime/controller.ts';
import type { Plan } from '../../runtime/plan.ts';
import { isIssued } from './signers.ts';

const hourMs = 3_600_000;
/** After its end was decided. */
const decidedMs = hourMs;
const pendingMs = 24 * hourMs;

/** Removes requests that nobody needs any more: an hour after the decision, a day without one, with the end of the certificate. */
export const requestCleaner: Controller<CertificateSigningRequest> = {
  name: 'certificatesigningrequest-cleaner',
  watches: [primary(certificatesigningrequests)],
  observe: (key, caches) => caches.of(certificatesigningrequests).get(key),
  plan,
};

export function plan(request: CertificateSigningRequest, nowMs: number): Plan {
  const dueMs = dueOf(request);
  if (request.metadata.deletionTimestamp !== undefined || dueMs === Infinity) return { actions: [] };
  if (nowMs < dueMs) return { actions: [], againInMs: dueMs - nowMs };
  return { actions: [{ do: 'delete', type: certificatesigningrequests, target: request }] };
}

function dueOf(request: CertificateSigningRequest): number {
  const { metadata, status } = request;
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0 && !isIssued(request)) return fromTimestamp(metadata.creationTimestamp) + pendingMs;
  const decided = conditions.flatMap(({ type, lastUpdateTime }) =>
    ['Approved', 'Denied', 'Failed'].includes(type) && lastUpdateTime !== undefined
      ? [fromTimestamp(lastUpdateTime) + decidedMs]
      : [],
  );
  return Math.min(...decided, endOf(status?.certificate ?? ''));
}

function endOf(certificate: string): number {
  if (certificate === '') return Infinity;
  return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo);
}
