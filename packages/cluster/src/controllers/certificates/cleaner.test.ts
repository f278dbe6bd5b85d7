import { expect, test } from 'vitest';
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import { janesCertificate } from '../../testing/resources/certificate-requests.ts';
import { plan } from './cleaner.ts';

const hourMs = 3_600_000;
const nowMs = Date.UTC(2026, 0, 10);

function request(hoursAgo: number, status: CertificateSigningRequest['status'] = {}): CertificateSigningRequest {
  const creationTimestamp = toTimestamp(nowMs - hoursAgo * hourMs);
  return { metadata: { name: 'a', uid: 'u', creationTimestamp }, spec: {}, status } as CertificateSigningRequest;
}

function decided(type: string, hoursAgo: number): CertificateSigningRequest['status'] {
  return { conditions: [{ type, status: 'True', lastUpdateTime: toTimestamp(nowMs - hoursAgo * hourMs) }] };
}

test.each<[string, CertificateSigningRequest, number | 'gone']>([
  ['that nobody has decided about', request(23), 1],
  ['that nobody has decided about for a day', request(24), 'gone'],
  ['that was approved', request(30, decided('Approved', 0.5)), 0.5],
  ['that was approved an hour ago', request(30, decided('Approved', 1)), 'gone'],
  ['that was denied an hour ago', request(30, decided('Denied', 1)), 'gone'],
  ['that failed an hour ago', request(30, decided('Failed', 2)), 'gone'],
])('a request %s', (_, given, due) => {
  const { actions, againInMs } = plan(given, nowMs);
  expect(due === 'gone' ? actions : againInMs).toEqual(
    due === 'gone'
      ? [{ do: 'delete', type: expect.objectContaining({ resource: 'certificatesigningrequests' }), target: given }]
      : due * hourMs,
  );
});

test('a certificate that has ended takes its request along', () => {
  const issued = { ...decided('Approved', 0.5), certificate: janesCertificate };
  expect(plan(request(1, issued), Date.UTC(2300, 0, 1)).actions).toHaveLength(1);
});
