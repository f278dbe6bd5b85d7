/** What the signers that every cluster has will sign, and for how long. Pure. */
import { proxyClientName } from '../../api/front-proxy.ts';
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { groups } from '../../api/identities.ts';
import { type CertificateRequest, parseCertificateRequest } from '../../resources/certificates/request.ts';

type Usages = readonly string[];
type Faults = (request: CertificateRequest, usages: Usages) => readonly string[];

export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';

const signers: ReadonlyMap<string, Faults> = new Map<string, Faults>([
  ['kubernetes.io/kube-apiserver-client', clientFaults],
  [kubeletClientSigner, kubeletClientFaults],
  ['kubernetes.io/kubelet-serving', kubeletServingFaults],
]);

export type Signability =
  /** Some other signer's. */
  | { readonly is: 'others' }
  | { readonly is: 'fault'; readonly message: string }
  | { readonly is: 'signable'; readonly request: CertificateRequest };

export function signability({ spec }: CertificateSigningRequest): Signability {
  const faultsOf = signers.get(spec.signerName);
  if (faultsOf === undefined) return { is: 'others' };
  const request = parseCertificateRequest(spec.request);
  const [message] = faultsOf(request, spec.usages ?? []);
  return message === undefined ? { is: 'signable', request } : { is: 'fault', message };
}

/** Whether it is what the agent of a node asks for to say who it is, and whether it asks for itself. */
export function kubeletClientAsked({ spec }: CertificateSigningRequest): 'for itself' | 'for another' | undefined {
  if (spec.signerName !== kubeletClientSigner) return undefined;
  const request = parseCertificateRequest(spec.request);
  if (kubeletClientFaults(request, spec.usages ?? []).length > 0) return undefined;
  return spec.username === request.commonName ? 'for itself' : 'for another';
}

const optional: Usages = ['digital signature', 'key encipherment'];

function clientFaults({ commonName }: CertificateRequest, usages: Usages): readonly string[] {
  // Who shows that name to other API servers says to them who asks, and the same authority signs it.
  if (commonName === proxyClientName)
    return [`subject common name ${proxyClientName} is that of the API server itself`];
  const isClient = usages.includes('client auth');
  const isMore = usages.some((usage) => usage !== 'client auth' && !optional.includes(usage));
  return isClient && !isMore ? [] : [`invalid usages for client certificate: [${usages.join(' ')}]`];
}

function kubeletClientFaults(request: CertificateRequest, usages: Usages): readonly string[] {
  const { dnsNames, addresses, emails, uris } = request;
  return [
    ...nodeFaults(request),
    ...(dnsNames.length > 0 ? ['DNS subjectAltNames are not allowed'] : []),
    ...(emails.length > 0 ? ['Email subjectAltNames are not allowed'] : []),
    ...(addresses.length > 0 ? ['IP subjectAltNames are not allowed'] : []),
    ...(uris.length > 0 ? ['URI subjectAltNames are not allowed'] : []),
    ...usageFaults(usages, 'client auth'),
  ];
}

function kubeletServingFaults(request: CertificateRequest, usages: Usages): readonly string[] {
  const { dnsNames, addresses, emails, uris } = request;
  return [
    ...nodeFaults(request),
    ...(dnsNames.length + addresses.length === 0 ? ['at least one DNS or IP subjectAltName is required'] : []),
    ...(emails.length > 0 ? ['Email subjectAltNames are not allowed'] : []),
    ...(uris.length > 0 ? ['URI subjectAltNames are not allowed'] : []),
    ...usageFaults(usages, 'server auth'),
  ];
}

function nodeFaults({ organizations, commonName }: CertificateRequest): readonly string[] {
  const isNodes = organizations.length === 1 && organizations[0] === groups.nodes;
  const isNamed = commonName.startsWith('system:node:') && commonName !== 'system:node:';
  return [
    ...(isNodes ? [] : ['subject organization is not system:nodes']),
    ...(isNamed ? [] : ['subject common name does not begin with system:node:']),
  ];
}

function usageFaults(usages: Usages, purpose: string): readonly string[] {
  const wanted = ['digital signature', purpose];
  const isExact =
    wanted.every((usage) => usages.includes(usage)) &&
    usages.every((usage) => wanted.includes(usage) || usage === 'key encipherment');
  return isExact ? [] : [`usages did not match [${wanted.join(' ')}]`];
}

const yearMs = 365 * 86_400_000;
const expirationMsMin = 600_000;
/** Clocks differ a little. */
const backdatedMs = 5 * 60_000;

/** From when until when: as asked, at most for a year. */
export function validity(
  { spec: { expirationSeconds } }: CertificateSigningRequest,
  nowMs: number,
): { readonly notBeforeMs: number; readonly notAfterMs: number } {
  const asked = expirationSeconds === undefined ? yearMs : expirationSeconds * 1000;
  const lastsMs = Math.min(yearMs, Math.max(expirationMsMin, asked));
  return { notBeforeMs: nowMs - backdatedMs, notAfterMs: nowMs - backdatedMs + lastsMs };
}

export function hasCondition({ status }: CertificateSigningRequest, ...types: readonly string[]): boolean {
  return (status?.conditions ?? []).some(({ type }) => types.includes(type));
}

export function isIssued({ status }: CertificateSigningRequest): boolean {
  return (status?.certificate ?? '') !== '';
}
