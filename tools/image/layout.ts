/** An OCI layout as one archive. */
import { chmodSync, constants, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Base } from './base.ts';
import { program } from './files.ts';
import { digestOf, type Layer, packFolder } from './layer.ts';

export interface ImageFacts {
  /** As it is pulled, with a tag. */
  readonly name: string;
  readonly version: string;
  readonly revision: string;
  readonly created: Date;
}

export interface PlatformImage {
  /** `linux/amd64` */
  readonly platform: string;
  readonly base: Base | undefined;
  /** In the image. */
  readonly node: string;
  readonly layer: Layer;
}

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
};

/** Nobody's: no image knows a user of that number, and no file here is his. */
const user = '65532:65532';

export interface LayoutPlaces {
  /** Empty, and the caller's. */
  readonly folder: string;
  readonly archive: string;
}

/** Returns the digest of the index over all platforms: what `name@` is followed by. */
export function writeLayout(
  images: readonly PlatformImage[],
  facts: ImageFacts,
  { folder, archive }: LayoutPlaces,
): string {
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
  const manifests = images.map((image) => {
    const [os, architecture] = image.platform.split('/');
    return { ...manifestOf(image, facts, folder), platform: { architecture, os } };
  });
  const index = keepJson(
    folder,
    { schemaVersion: 2, mediaType: types.index, manifests, annotations: labelsOf(facts) },
    types.index,
  );
  const tag = facts.name.slice(facts.name.lastIndexOf(':') + 1);
  const annotations = { 'io.containerd.image.name': facts.name, 'org.opencontainers.image.ref.name': tag };
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(
    join(folder, 'index.json'),
    JSON.stringify({ schemaVersion: 2, mediaType: types.index, manifests: [{ ...index, annotations }] }),
  );
  packFolder(folder, archive, { modified: facts.created });
  return index.digest;
}

function manifestOf({ platform, base, node, layer }: PlatformImage, facts: ImageFacts, folder: string): Descriptor {
  for (const { file, digest } of base?.layers ?? []) keepFile(folder, file, digest);
  const ours = keep(folder, layer.bytes, types.layer);
  const beneath = base?.layers.map(({ mediaType, digest, size }) => ({ mediaType, digest, size })) ?? [];
  const [os, architecture] = platform.split('/');
  const created = facts.created.toISOString();
  const labels = {
    ...labelsOf(facts),
    ...(base?.digest !== undefined && { 'org.opencontainers.image.base.digest': base.digest }),
  };
  const config = {
    created,
    ...{ architecture, os },
    config: {
      User: user,
      Env: environmentOf(base),
      Entrypoint: [node, program],
      WorkingDir: '/',
      Labels: labels,
    },
    rootfs: { type: 'layers', diff_ids: [...(base?.layers.map(({ diffId }) => diffId) ?? []), layer.diffId] },
    history: [
      ...(base?.layers.map(() => ({ created, created_by: 'base' })) ?? []),
      { created, created_by: 'npm run image', comment: `signalbox ${facts.version}` },
    ],
  };
  const manifest = {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: keepJson(folder, config, types.config),
    layers: [...beneath, ours],
    annotations: labels,
  };
  return keepJson(folder, manifest, types.manifest);
}

const defaultPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The base's; whoever runs it as a user without a home still has a place for what programs keep there. */
function environmentOf(base: Base | undefined): readonly string[] {
  const given = base?.env ?? [];
  const has = (name: string): boolean => given.some((each) => each.startsWith(`${name}=`));
  return [...given, ...(has('PATH') ? [] : [defaultPath]), ...(has('HOME') ? [] : ['HOME=/tmp'])];
}

function labelsOf({ version, revision, created }: ImageFacts): Readonly<Record<string, string>> {
  const prefix = 'org.opencontainers.image';
  return {
    [`${prefix}.title`]: 'signalbox',
    [`${prefix}.description`]: "The control point for a cluster's telemetry",
    [`${prefix}.url`]: 'https://signalbox.dev',
    [`${prefix}.source`]: 'https://github.com/signalbox-dev/signalbox',
    [`${prefix}.licenses`]: 'Apache-2.0',
    [`${prefix}.version`]: version,
    [`${prefix}.created`]: created.toISOString(),
    ...(revision !== '' && { [`${prefix}.revision`]: revision }),
  };
}

const keepJson = (folder: string, value: unknown, mediaType: string): Descriptor =>
  keep(folder, Buffer.from(JSON.stringify(value)), mediaType);

function keep(folder: string, bytes: Buffer, mediaType: string): Descriptor {
  const digest = digestOf(bytes);
  writeFileSync(blobPath(folder, digest), bytes);
  return { mediaType, digest, size: bytes.length };
}

/** A copy of its own: a link would share the base's mode. */
function keepFile(folder: string, file: string, digest: string): void {
  copyFileSync(file, blobPath(folder, digest), constants.COPYFILE_FICLONE);
  chmodSync(blobPath(folder, digest), 0o644);
}

const blobPath = (folder: string, digest: string): string =>
  join(folder, 'blobs/sha256', digest.replace('sha256:', ''));
