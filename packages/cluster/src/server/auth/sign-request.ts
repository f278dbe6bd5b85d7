import type { PemPair, Period } from './certificates.ts';
import { dates, loadX509, pem, readSigning, serialNumber, signingAlgorithm } from './certificates.ts';

/** What is to be certified, and for what. */
export interface RequestToSign extends Period {
  /** PEM in base64. */
  readonly request: string;
  /** As a CertificateSigningRequest names them: `client auth`, `digital signature`. */
  readonly usages: readonly string[];
}

const alternativeNames = '2.5.29.17';

/** A certificate of this authority for the key, the subject and the alternative names that the request has, as PEM. */
export async function signRequest(ca: PemPair, { request, usages, ...period }: RequestToSign): Promise<string> {
  const x509 = await loadX509();
  const asked = new x509.Pkcs10CertificateRequest(Buffer.from(request, 'base64').toString('latin1').trim());
  const { x509: _library, keyIdentifier, ...signing } = await readSigning(ca);
  const names = asked.getExtension(alternativeNames);
  const purposes = usages.flatMap((usage) => extendedUsages[usage] ?? []);
  const flags = usages.reduce((all, usage) => all | (keyUsages[usage] ?? 0), 0);
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: asked.subjectName.toJSON(),
    ...dates(period),
    ...signing,
    signingAlgorithm,
    publicKey: asked.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      ...(flags === 0 ? [] : [new x509.KeyUsagesExtension(flags, true)]),
      ...(purposes.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension([...purposes])]),
      keyIdentifier,
      ...(names === null ? [] : [names]),
    ],
  });
  return pem(cert);
}

/** Bits of a key usage, by the names of the API. */
const keyUsages: Readonly<Record<string, number>> = {
  'digital signature': 1,
  'key encipherment': 4,
};

const extendedUsages: Readonly<Record<string, readonly string[]>> = {
  'server auth': ['1.3.6.1.5.5.7.3.1'],
  'client auth': ['1.3.6.1.5.5.7.3.2'],
};
