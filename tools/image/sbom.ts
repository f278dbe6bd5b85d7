import type { Installed } from './files.ts';

export interface SbomOptions {
  readonly version: string;
  readonly created: Date;
  /** Of the image's program: what is in the bundle, and what lies beside it. */
  readonly packages: readonly Installed[];
}

/** What the image is made of, as SPDX 2.3 in JSON. Its namespace follows from its content, so that the same image has the same. */
export function sbomOf({ version, created, packages }: SbomOptions, hash: (text: string) => string): string {
  const described = packages.map((each) => describe(each));
  const own = {
    SPDXID: 'SPDXRef-signalbox',
    name: 'signalbox',
    versionInfo: version,
    licenseDeclared: 'Apache-2.0',
    ...common,
  };
  const id = hash(JSON.stringify([own, described]));
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `signalbox-${version}`,
    documentNamespace: `https://signalbox.dev/spdx/${version}/${id}`,
    creationInfo: { created: created.toISOString().replace('.000Z', 'Z'), creators: ['Tool: signalbox-image'] },
    packages: [own, ...described],
    relationships: [
      relation('SPDXRef-DOCUMENT', 'DESCRIBES', own.SPDXID),
      ...described.map(({ SPDXID }) => relation(own.SPDXID, 'CONTAINS', SPDXID)),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

const common = {
  downloadLocation: 'NOASSERTION',
  filesAnalyzed: false,
  licenseConcluded: 'NOASSERTION',
  copyrightText: 'NOASSERTION',
};

function describe({ name, version, licence, integrity }: Installed) {
  return {
    SPDXID: `SPDXRef-${name.replace(/[^A-Za-z0-9.]+/g, '-')}-${version}`,
    name,
    versionInfo: version,
    licenseDeclared: licence ?? 'NOASSERTION',
    ...common,
    ...(integrity !== undefined && { checksums: [checksum(integrity)] }),
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      },
    ],
  };
}

/** `sha512-…` of a lock, as SPDX writes it. */
function checksum(integrity: string): { readonly algorithm: string; readonly checksumValue: string } {
  const [algorithm = '', base64 = ''] = integrity.split('-', 2);
  return { algorithm: algorithm.toUpperCase(), checksumValue: Buffer.from(base64, 'base64').toString('hex') };
}

const relation = (from: string, relationshipType: string, to: string) => ({
  spdxElementId: from,
  relationshipType,
  relatedSpdxElement: to,
});
