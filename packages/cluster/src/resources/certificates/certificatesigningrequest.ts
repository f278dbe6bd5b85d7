import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { certificatesigningrequests } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { holdsPrivateKey } from '../../api/private-key.ts';
import { ageColumn, column, humanDuration, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { approvalDoor, signingDoor } from './doors.ts';
import { parseCertificateRequest } from './request.ts';
import { signerName } from './signer.ts';

const expirationSecondsMin = 600;
const usages: ReadonlySet<string> = new Set([
  ...['any', 'cert sign', 'client auth', 'code signing', 'content commitment', 'crl sign', 'data encipherment'],
  ...['decipher only', 'digital signature', 'email protection', 'encipher only', 'ipsec end system', 'ipsec tunnel'],
  ...['ipsec user', 'key agreement', 'key encipherment', 'microsoft sgc', 'netscape sgc', 'ocsp signing', 's/mime'],
  ...['server auth', 'signing', 'timestamping'],
]);

/**
 * Somebody's wish for a certificate. Who wishes is noted when it is created, and nothing but its metadata ever changes
 * through the main door: it is approved and signed through doors of their own.
 */
export const certificatesigningrequestDefinition: ResourceDefinition<CertificateSigningRequest> = defineResource(
  certificatesigningrequests,
  {
    schema: 'io.k8s.api.certificates.v1.CertificateSigningRequest',
    shortNames: ['csr'],
    columnsComplete: true,
    columns: [
      nameColumn(),
      ageColumn(),
      column('SignerName', ({ spec }) => spec.signerName ?? '<none>'),
      column('Requestor', ({ spec }) => spec.username ?? ''),
      column('RequestedDuration', ({ spec }) =>
        spec.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * 1000),
      ),
      column('Condition', stateOf),
    ],
    selectableFields: [{ path: 'spec.signerName', of: ({ spec }) => spec.signerName ?? '' }],
    subresources: [approvalDoor, signingDoor],
    // Whoever asks is noted by admission, which knows them.
    prepareForCreate: (request) => ({ ...request, status: {} }),
    prepareForUpdate: (next, { spec, status }) => ({ ...next, spec, status }),
    // Any name that can stand in a path will do.
    *validateName() {},
    *validate({ spec }, at) {
      yield* specIssues(spec, at('spec'));
    },
  },
);

function stateOf({ status }: CertificateSigningRequest): string {
  const types = new Set((status?.conditions ?? []).map(({ type }) => type));
  const decided = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const issued = (status?.certificate ?? '') !== '';
  return [decided, ...(types.has('Failed') ? ['Failed'] : []), ...(issued ? ['Issued'] : [])].join(',');
}

function* specIssues(spec: CertificateSigningRequest['spec'], at: FieldPath): Iterable<Issue> {
  const { usages: wanted = [], expirationSeconds } = spec;
  const request = spec.request ?? '';
  const fault = requestFault(request);
  // A key that was pasted with it, or for it, is repeated to nobody.
  if (fault !== undefined) yield at('request').invalid(holdsPrivateKey(request) ? '***' : request, fault);
  if (wanted.length === 0) yield at('usages').required();
  for (const [index, usage] of wanted.entries()) {
    if (!usages.has(usage)) yield at('usages', index).notSupported(usage, [...usages]);
    if (wanted.indexOf(usage) < index) yield at('usages', index).duplicate(usage);
  }
  const signer = spec.signerName ?? '';
  if (signer === 'kubernetes.io/legacy-unknown')
    yield at('signerName').invalid(signer, 'the legacy signerName is not allowed via this API version');
  else yield* signerName(signer, at('signerName'));
  if (expirationSeconds !== undefined && expirationSeconds < expirationSecondsMin)
    yield at('expirationSeconds').invalid(
      expirationSeconds,
      'may not specify a duration less than 600 seconds (10 minutes)',
    );
}

function requestFault(request: string): string | undefined {
  try {
    parseCertificateRequest(request);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
