/** What an archive of images says of itself: OCI layouts and what `docker save` writes. */
import type { Accounts, Image } from '../image.ts';
import { fullImageName, parseImageName } from '../reference.ts';

/** Of an image in an archive: paths of its blobs within the archive. */
export interface ArchivedImage {
  /** Full names. */
  readonly names: readonly string[];
  readonly config: string;
  readonly layers: readonly string[];
}

export interface OciDescriptor {
  readonly mediaType?: string;
  readonly digest?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly platform?: { readonly os?: string; readonly architecture?: string };
}

export interface OciIndex {
  readonly manifests?: readonly OciDescriptor[];
}

export interface OciManifest {
  readonly config?: OciDescriptor;
  readonly layers?: readonly OciDescriptor[];
}

export interface DockerImage {
  readonly Config?: string;
  readonly RepoTags?: readonly string[] | null;
  readonly Layers?: readonly string[];
}

export interface ImageConfig {
  readonly config?: {
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly Env?: readonly string[] | null;
    readonly User?: string;
    readonly WorkingDir?: string;
  };
  readonly rootfs?: { readonly diff_ids?: readonly string[] };
}

/** `blobs/sha256/…`; throws for what is no digest, which would be a path. */
export function blobPath(digest: string | undefined): string {
  const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(digest ?? '') ?? [];
  if (hex === undefined) throw new Error(`${JSON.stringify(digest)} is no sha256 digest`);
  return `blobs/sha256/${hex}`;
}

export function dockerImages(images: readonly DockerImage[]): readonly ArchivedImage[] {
  return images.map(({ Config: config = '', RepoTags, Layers: layers = [] }) => ({
    names: (RepoTags ?? []).flatMap(fullNames),
    ...{ config, layers },
  }));
}

/** A name that is only a tag belongs to what the archive is called. */
export function namesOf({ annotations = {} }: OciDescriptor, archiveName: string): readonly string[] {
  const full = annotations['io.containerd.image.name'];
  if (full !== undefined) return fullNames(full);
  const ref = annotations['org.opencontainers.image.ref.name'];
  if (ref === undefined) return fullNames(archiveName);
  return /[/:]/.test(ref) ? fullNames(ref) : fullNames(`${archiveName}:${ref}`);
}

function fullNames(text: string): readonly string[] {
  const name = parseImageName(text);
  return name === undefined ? [] : [fullImageName(name)];
}

/** Those that could be pulled for this machine; what says no platform is taken as it is. */
export function fitsPlatform({ platform }: OciDescriptor, architecture: string): boolean {
  if (platform === undefined) return true;
  return platform.os === 'linux' && platform.architecture === architecture;
}

export function isIndex({ mediaType = '' }: OciDescriptor): boolean {
  return /image\.index|manifest\.list/.test(mediaType);
}

/** As registries call what Node.js calls `process.arch`. */
export function architectureOf(arch: string): string {
  return { x64: 'amd64', ia32: '386' }[arch] ?? arch;
}

export interface Unpacked {
  /** Of the config: what the image is. */
  readonly digest: string;
  readonly path: string;
  readonly accounts: Accounts;
}

export function unpackedImage({ config = {} }: ImageConfig, { digest, path, accounts }: Unpacked): Image {
  const env = (config.Env ?? []).map(
    (each) => [each.split('=', 1)[0] ?? '', each.slice(each.indexOf('=') + 1)] as const,
  );
  return {
    id: `sha256:${digest}`,
    root: { is: 'image', path },
    entrypoint: config.Entrypoint ?? [],
    cmd: config.Cmd ?? [],
    env: Object.fromEntries(env),
    user: config.User ?? '',
    workingDir: config.WorkingDir ?? '',
    accounts,
    aliases: {},
  };
}
