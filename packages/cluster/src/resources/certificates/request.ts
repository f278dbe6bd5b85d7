import { createPublicKey, verify } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { type Der, derValues, readDer } from './der.ts';

/** What a certificate request asks for. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  /** The key to be certified, as DER. */
  readonly publicKey: Buffer;
}

const oids = {
  commonName: '550403',
  organization: '55040a',
  extensions: '2a864886f70d01090e',
  alternativeNames: '551d11',
};

/** By algorithm of the signature; `null`: the algorithm has its own. */
const digests: ReadonlyMap<string, string | null> = new Map([
  ['2a864886f70d01010b', 'sha256'],
  ['2a864886f70d01010c', 'sha384'],
  ['2a864886f70d01010d', 'sha512'],
  ['2a8648ce3d040302', 'sha256'],
  ['2a8648ce3d040303', 'sha384'],
  ['2a8648ce3d040304', 'sha512'],
  ['2b6570', null],
]);

/**
 * Reads what `spec.request` of a CertificateSigningRequest holds: PEM in base64. Throws where it is none, and where it is not
 * signed with the key that it asks a certificate for.
 */
export function parseCertificateRequest(request: string): CertificateRequest {
  const pem = Buffer.from(request, 'base64').toString('latin1');
  const block = /-----BEGIN CERTIFICATE REQUEST-----\s*([A-Za-z0-9+/=\s]+)-----END CERTIFICATE REQUEST-----/.exec(pem);
  if (block === null) throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const [info, algorithm, signature] = derValues(readDer(Buffer.from(block[1] ?? '', 'base64')).content);
  const [, subject, publicKey, attributes] = derValues(info?.content ?? Buffer.alloc(0));
  if (info === undefined || algorithm === undefined || signature === undefined || publicKey === undefined)
    throw new Error('asn1: structure error');
  checkSignature({ signed: info.whole, publicKey: publicKey.whole, algorithm, signature });
  return {
    commonName: namesIn(subject, oids.commonName)[0] ?? '',
    organizations: namesIn(subject, oids.organization),
    ...alternativeNames(attributes),
    publicKey: publicKey.whole,
  };
}

interface Signed {
  readonly signed: Buffer;
  readonly publicKey: Buffer;
  readonly algorithm: Der;
  readonly signature: Der;
}

function checkSignature({ signed, publicKey, algorithm, signature }: Signed): void {
  const digest = digests.get(derValues(algorithm.content)[0]?.content.toString('hex') ?? '');
  if (digest === undefined) throw new Error('x509: cannot verify signature: algorithm unimplemented');
  const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
  // A bit string begins with how many bits of its last byte do not count: here none.
  if (!verify(digest, signed, key, signature.content.subarray(1))) throw new Error('x509: signature is not valid');
}

/** A name is a sequence of sets of pairs: what it is, and the text. */
function namesIn(subject: Der | undefined, oid: string): readonly string[] {
  return derValues(subject?.content ?? Buffer.alloc(0))
    .flatMap(({ content }) => derValues(content))
    .flatMap(({ content }) => {
      const [type, value] = derValues(content);
      return type?.content.toString('hex') === oid ? [value?.content.toString('utf8') ?? ''] : [];
    });
}

type Alternatives = Pick<CertificateRequest, 'dnsNames' | 'addresses' | 'emails' | 'uris'>;

function alternativeNames(attributes: Der | undefined): Alternatives {
  const names = extensionIn(attributes, oids.alternativeNames);
  const of = (tag: number): readonly Buffer[] => names.filter((name) => name.tag === tag).map(({ content }) => content);
  const texts = (tag: number): readonly string[] => of(tag).map((bytes) => bytes.toString('latin1'));
  return { emails: texts(0x81), dnsNames: texts(0x82), uris: texts(0x86), addresses: of(0x87).map(formatAddress) };
}

/** What an extension that the request asks for holds; nothing where it asks for none. */
function extensionIn(attributes: Der | undefined, oid: string): readonly Der[] {
  for (const attribute of derValues(attributes?.content ?? Buffer.alloc(0))) {
    const [type, values] = derValues(attribute.content);
    if (type?.content.toString('hex') !== oids.extensions) continue;
    for (const extension of derValues(values?.content ?? Buffer.alloc(0)).flatMap(({ content }) =>
      derValues(content),
    )) {
      const parts = derValues(extension.content);
      const value = parts.at(-1);
      if (parts[0]?.content.toString('hex') === oid && value !== undefined)
        return derValues(readDer(value.content).content);
    }
  }
  return [];
}

function formatAddress(bytes: Buffer): string {
  const four = [...bytes].join('.');
  if (isIPv4(four)) return four;
  const groups = Array.from({ length: Math.floor(bytes.length / 2) }, (_, at) =>
    bytes.readUInt16BE(at * 2).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
