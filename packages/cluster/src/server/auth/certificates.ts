import { createPrivateKey, KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its private key, both PEM. */
export interface PemPair {
  readonly cert: string;
  readonly key: string;
}

export interface Period {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

export interface CertificateRequest extends Period {
  readonly subject: { readonly commonName: string; readonly organizations: readonly string[] };
  readonly usage: 'server' | 'client';
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
}

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
export const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** Loading it takes a while, so only those pay who make certificates: the first start, once a year later. */
export async function loadX509(): Promise<X509> {
  return (await import('./x509.ts')).x509;
}

export async function makeAuthority({
  commonName,
  ...period
}: Period & { readonly commonName: string }): Promise<PemPair> {
  const x509 = await loadX509();
  const keys = await makeKeys();
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [commonName] }],
    ...dates(period),
    signingAlgorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: pem(cert), key: keyPem(keys.privateKey) };
}

/** Who signs: an authority that is read once for all that it signs. */
export interface Issuer {
  makeCertificate(request: CertificateRequest): Promise<PemPair>;
}

/** The authority is read, and the library loaded, with the first certificate that is asked for. */
export function createIssuer(ca: PemPair): Issuer {
  let read: Promise<Signing> | undefined;
  return {
    async makeCertificate(request) {
      read ??= readSigning(ca);
      return makeSigned(request, await read);
    },
  };
}

export interface Signing {
  readonly x509: X509;
  readonly issuer: string;
  readonly signingKey: webcrypto.CryptoKey;
  readonly keyIdentifier: Extension;
}

type X509 = typeof import('./x509.ts').x509;
type Extension = InstanceType<X509['Extension']>;

export async function readSigning(ca: PemPair): Promise<Signing> {
  const x509 = await loadX509();
  const authority = new x509.X509Certificate(ca.cert);
  const [signingKey, keyIdentifier] = await Promise.all([
    importKey(ca.key),
    x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
  ]);
  return { x509, issuer: authority.subject, signingKey, keyIdentifier };
}

async function makeSigned(
  { subject, usage, names, ...period }: CertificateRequest,
  { x509, keyIdentifier, ...signing }: Signing,
): Promise<PemPair> {
  const keys = await makeKeys();
  const purpose = usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [...subject.organizations.map((organization) => ({ O: [organization] })), { CN: [subject.commonName] }],
    ...dates(period),
    ...signing,
    signingAlgorithm,
    publicKey: keys.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([purpose]),
      keyIdentifier,
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names.map(alternativeName))]),
    ],
  });
  return { cert: pem(cert), key: keyPem(keys.privateKey) };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

function importKey(key: string): Promise<webcrypto.CryptoKey> {
  const bytes = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', bytes, keyAlgorithm, false, ['sign']);
}

function keyPem(key: webcrypto.CryptoKey): string {
  return String(KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }));
}

export function pem(cert: { toString(format: 'pem'): string }): string {
  return `${cert.toString('pem').trimEnd()}\n`;
}

function alternativeName(value: string): { readonly type: 'ip' | 'dns'; readonly value: string } {
  return { type: isIP(value) === 0 ? 'dns' : 'ip', value };
}

/** Positive, and with enough chance in it that two never meet. */
export function serialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`;
}

export function dates({ notBeforeMs, notAfterMs }: Period): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(notBeforeMs), notAfter: new Date(notAfterMs) };
}

/** What a certificate says about itself; read with Node's own parser, which costs nothing at start. */
export interface CertificateFacts {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly isAuthority: boolean;
  /** Whether the authority signed it. Without one: whether it signed itself. */
  readonly isSigned: boolean;
  /** DNS names and IP addresses that it is made out to, in their canonical form. */
  readonly names: ReadonlySet<string>;
}

/** Undefined when certificate or key cannot be read, or do not belong together. */
export function certificateFacts({ cert, key }: PemPair, ca?: PemPair): CertificateFacts | undefined {
  try {
    const parsed = new X509Certificate(cert);
    const issuer = ca === undefined ? parsed : new X509Certificate(ca.cert);
    if (!parsed.checkPrivateKey(createPrivateKey(key))) return undefined;
    return {
      notBeforeMs: Date.parse(parsed.validFrom),
      notAfterMs: Date.parse(parsed.validTo),
      isAuthority: parsed.ca,
      isSigned: parsed.checkIssued(issuer) && parsed.verify(issuer.publicKey),
      names: namesIn(parsed),
    };
  } catch {
    return undefined;
  }
}

/** `DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1` */
function namesIn({ subjectAltName = '' }: X509Certificate): ReadonlySet<string> {
  const values = subjectAltName.split(', ').flatMap((entry) => {
    const value = /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1];
    return value === undefined ? [] : [canonicalName(value)];
  });
  return new Set(values);
}

/** One spelling for what is the same name or address. */
export function canonicalName(name: string): string {
  return isIP(name) === 6 ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name.toLowerCase();
}
