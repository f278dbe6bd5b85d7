import { expect, test } from 'vitest';
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { janesCertificate, janesRequest } from '../../testing/resources/certificate-requests.ts';
import { created, createIssues, made, row } from '../../testing/resources/judge.ts';
import { certificatesigningrequestDefinition as definition } from './certificatesigningrequest.ts';
import { approvalDoor, signingDoor } from './doors.ts';

const spec = { request: janesRequest, signerName: 'example.com/serving', usages: ['client auth'] };
const body = { metadata: { name: 'jane' }, spec };
const now = { nowMs: Date.UTC(2026, 0, 2) };
const nowText = '2026-01-02T00:00:00Z';

function stored(status: CertificateSigningRequest['status'] = {}): CertificateSigningRequest {
  return { ...created(definition, body), status };
}

test('what is right is let in, under any name that a path can hold', () => {
  expect(createIssues(definition, { ...body, metadata: { name: 'node-csr-A_B' } })).toEqual([]);
});

test.each<[object, string]>([
  [{ request: 'aGVsbG8=' }, 'spec.request: Invalid value: "aGVsbG8=": PEM block type must be CERTIFICATE REQUEST'],
  [
    { request: Buffer.from('-----BEGIN EC PRIVATE KEY-----\nhunter2').toString('base64') },
    'spec.request: Invalid value: "***": PEM block type must be CERTIFICATE REQUEST',
  ],
  [{ usages: [] }, 'spec.usages: Required value'],
  [{ usages: ['client auth', 'client auth'] }, 'spec.usages[1]: Duplicate value: "client auth"'],
  [{ usages: ['flying'] }, 'spec.usages[0]: Unsupported value: "flying": supported values: "any", "cert sign",'],
  [{ signerName: '' }, 'spec.signerName: Required value'],
  [
    { signerName: 'kubernetes.io/legacy-unknown' },
    'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
  ],
  [
    { signerName: 'plain' },
    'spec.signerName: Invalid value: "plain": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
  ],
  [
    { signerName: 'plain/x' },
    'spec.signerName: Invalid value: "plain": should be a domain with at least two segments separated by dots',
  ],
  [{ signerName: 'A.b/x' }, 'spec.signerName: Invalid value: "A.b": validating label "A": a lowercase RFC 1123 label'],
  [
    { expirationSeconds: 599 },
    'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)',
  ],
])('%j is refused', (part, issue) => {
  const [first = '', ...others] = createIssues(definition, { ...body, spec: { ...spec, ...part } });
  expect(first.slice(0, issue.length)).toBe(issue);
  expect(others).toEqual([]);
});

test('nothing of the wish and of its fate changes through the main door', () => {
  const current = stored({ conditions: [{ type: 'Approved', status: 'True' }] });
  const next = definition.prepareForUpdate?.(
    made(definition, { ...body, spec: { ...spec, usages: ['any'] } }),
    current,
  );
  expect(next).toMatchObject({ spec: current.spec, status: current.status });
});

function approve(current: CertificateSigningRequest, conditions: readonly object[]): CertificateSigningRequest {
  return approvalDoor.write?.(current, { ...current, status: { conditions } } as never, now) ?? current;
}

test('a decision is dated, and nothing else comes in with it', () => {
  const given = {
    ...stored(),
    spec: {},
    status: { certificate: 'x', conditions: [{ type: 'Approved', status: 'True' }] },
  };
  const next = approvalDoor.write?.(stored(), given as never, now);
  expect(next).toEqual({
    ...stored(),
    status: {
      conditions: [{ type: 'Approved', status: 'True', lastUpdateTime: nowText, lastTransitionTime: nowText }],
    },
  });
});

test.each<[readonly object[], readonly object[], string]>([
  [[], [{ type: 'Approved', status: 'False' }], 'Unsupported value: "False": supported values: "True"'],
  [[], [{ type: 'Approved' }], 'status.conditions[0].status: Required value'],
  [
    [],
    [
      { type: 'Approved', status: 'True' },
      { type: 'Denied', status: 'True' },
    ],
    'Approved and Denied conditions are mutually exclusive',
  ],
  [[{ type: 'Denied', status: 'True' }], [], 'updates may not remove a condition of type "Denied"'],
])('from %j to %j nobody decides', (before, after, message) => {
  expect(() => approve(stored({ conditions: before as never }), after)).toThrow(message);
});

function sign(current: CertificateSigningRequest, status: object): CertificateSigningRequest {
  return signingDoor.write?.(current, { ...current, status } as never, now) ?? current;
}

test('a certificate comes once, and who signs does not decide', () => {
  const approved = approve(stored(), [{ type: 'Approved', status: 'True', reason: 'ByHand' }]);
  const signed = sign(approved, { ...approved.status, certificate: janesCertificate });
  expect(signed.status).toEqual({ ...approved.status, certificate: janesCertificate });
  expect(() => sign(signed, { ...signed.status, certificate: `${janesCertificate.slice(0, -4)}` })).toThrow(
    'updates may not modify existing certificate content',
  );
  expect(() => sign(stored(), { conditions: [{ type: 'Denied', status: 'True' }] })).toThrow(
    'updates may not add a condition of type "Denied"',
  );
  // What it says of a decision is not listened to.
  const retold = sign(approved, { conditions: [{ type: 'Approved', status: 'True', reason: 'Other' }] });
  expect(retold.status.conditions?.[0]?.reason).toBe('ByHand');
  const failed = sign(approved, {
    conditions: [...(approved.status.conditions ?? []), { type: 'Failed', status: 'True' }],
  });
  expect(failed.status.conditions?.map(({ type }) => type)).toEqual(['Approved', 'Failed']);
});

test.each([
  ['aGVsbG8=', 'must contain at least one CERTIFICATE PEM block'],
  [janesRequest, 'only CERTIFICATE PEM blocks are allowed, found \\"CERTIFICATE REQUEST\\"'],
])('what is no certificate is not taken for one', (certificate, message) => {
  expect(() => sign(stored(), { certificate })).toThrow(message.replaceAll('\\', ''));
});

test('to decide and to sign need the signer; to change nothing does not', () => {
  const current = stored();
  expect(approvalDoor.needs?.({ next: current, current })).toMatchObject({
    access: { verb: 'approve', group: 'certificates.k8s.io', resource: 'signers' },
    names: ['example.com/serving', 'example.com/*'],
  });
  expect(signingDoor.needs?.({ next: current, current })).toBeUndefined();
  expect(signingDoor.needs?.({ next: stored({ certificate: 'x' }), current })?.access.verb).toBe('sign');
});

test.each<[object, string]>([
  [{}, 'Pending'],
  [{ conditions: [{ type: 'Denied', status: 'True' }] }, 'Denied'],
  [{ conditions: [{ type: 'Approved', status: 'True' }], certificate: 'x' }, 'Approved,Issued'],
  [
    {
      conditions: [
        { type: 'Approved', status: 'True' },
        { type: 'Failed', status: 'True' },
      ],
    },
    'Approved,Failed',
  ],
])('the table says what has become of %j', (status, condition) => {
  expect(row(definition, { ...body, spec: { ...spec, username: 'joe', expirationSeconds: 3600 }, status })).toEqual({
    Name: 'jane',
    Age: '5m',
    SignerName: 'example.com/serving',
    Requestor: 'joe',
    RequestedDuration: '60m',
    Condition: condition,
  });
});
