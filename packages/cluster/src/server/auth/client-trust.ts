/** Who has signed a client certificate: where several authorities are trusted, each for something else. */
import { X509Certificate } from 'node:crypto';

/** No chain that is meant well is longer. */
const depthMax = 8;

/**
 * Whether one of the authorities (PEM, any number) has signed the certificate, perhaps by others that came with it. The
 * connection's own check has found that some authority which is trusted for something has; this tells which.
 */
export function isSignedBy(
  certificate: X509Certificate,
  { authorities, nowMs }: { readonly authorities: string; readonly nowMs: number },
): boolean {
  return isAnchored(certificate, anchorsIn(authorities), { nowMs, depth: 0 });
}

function isAnchored(
  certificate: X509Certificate,
  anchors: readonly X509Certificate[],
  { nowMs, depth }: { readonly nowMs: number; readonly depth: number },
): boolean {
  if (!isCurrent(certificate, nowMs)) return false;
  if (anchors.some((anchor) => isCurrent(anchor, nowMs) && isIssuedBy(certificate, anchor))) return true;
  const issuer = certificate.issuerCertificate as X509Certificate | undefined;
  if (issuer === undefined || depth === depthMax || !issuer.ca || !isIssuedBy(certificate, issuer)) return false;
  return isAnchored(issuer, anchors, { nowMs, depth: depth + 1 });
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isCurrent({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);
}

/** Read once: a server has few, and many connections. */
const known = new Map<string, readonly X509Certificate[]>();
const knownMax = 8;

function anchorsIn(pem: string): readonly X509Certificate[] {
  const found = known.get(pem);
  if (found !== undefined) return found;
  const anchors = certificatesIn(pem).map((each) => new X509Certificate(each));
  if (known.size >= knownMax) known.clear();
  known.set(pem, anchors);
  return anchors;
}

/** The certificates of a bundle, each as PEM. */
export function certificatesIn(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
}
