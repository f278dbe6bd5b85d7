/** What an image is built upon: a root file system or an image, as a folder or as an archive. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar';
import { readTar } from '../../packages/node/src/images/archives/tar-entries.ts';
import { packFolder } from './layer.ts';

export interface BaseLayer {
  readonly file: string;
  /** OCI's, also where the base uses another name of it. */
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly diffId: string;
}

/** For one platform. */
export interface Base {
  /** `linux/amd64`; undefined: the base does not say. */
  readonly platform: string | undefined;
  readonly env: readonly string[];
  readonly layers: readonly BaseLayer[];
  /** Of its manifest; undefined for what is no image. */
  readonly digest: string | undefined;
}

const tarType = 'application/vnd.oci.image.layer.v1.tar';

/** One per platform. `scratch` is a folder of the caller's, who removes it when the layers have been read. */
export async function readBase(path: string, scratch: string): Promise<readonly Base[]> {
  if (!existsSync(path)) throw new Error(`the base ${path} is not there`);
  const folder = statSync(path).isDirectory()
    ? path
    : await opened(path, scratch).catch((cause: unknown) => {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`the base ${path} is no tar, or a damaged one: ${why}`, { cause });
      });
  if (folder === undefined) return [rootBase(await layerOfTar(path))];
  if (existsSync(join(folder, 'oci-layout'))) return imagesOf(folder);
  if (existsSync(join(folder, 'manifest.json'))) return dockerImages(folder);
  const tar = join(mkdtempSync(join(scratch, 'root-')), 'root.tar');
  packFolder(folder, tar, { kept: true });
  return [rootBase(await layerOfTar(tar))];
}

const rootBase = (layer: BaseLayer): Base => ({ platform: undefined, env: [], layers: [layer], digest: undefined });

/** Undefined: the archive holds a root file system, and no image. */
async function opened(archive: string, scratch: string): Promise<string | undefined> {
  let holdsImage = false;
  await readTar(archive, {
    async entry(entry) {
      if (/^(\.\/)?(oci-layout|manifest\.json)$/.test(entry.path)) holdsImage = true;
      entry.resume();
    },
  });
  if (!holdsImage) return undefined;
  const folder = mkdtempSync(join(scratch, 'base-'));
  await extract({ file: archive, cwd: folder, strict: true });
  return folder;
}

interface Descriptor {
  readonly mediaType?: string;
  readonly digest: string;
  readonly platform?: { readonly os?: string; readonly architecture?: string; readonly variant?: string };
}

interface Manifest {
  readonly manifests?: readonly Descriptor[];
  readonly config?: Descriptor;
  readonly layers?: readonly Descriptor[];
}

interface Config {
  readonly os?: string;
  readonly architecture?: string;
  readonly config?: { readonly Env?: readonly string[] | null };
  readonly rootfs?: { readonly diff_ids?: readonly string[] };
}

async function imagesOf(folder: string): Promise<readonly Base[]> {
  const found: Base[] = [];
  const left: Descriptor[] = [...(json<Manifest>(join(folder, 'index.json')).manifests ?? [])];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const { manifests, config, layers = [] } = json<Manifest>(blob(folder, next.digest));
    if (manifests !== undefined) left.unshift(...manifests);
    // Attestations have a manifest as well, and no config of an image.
    else if (config !== undefined && next.platform?.os !== 'unknown')
      found.push(
        await imageBase(
          { config: blob(folder, config.digest), digest: next.digest },
          layers.map((layer) => ({ ...layer, file: blob(folder, layer.digest) })),
        ),
      );
  }
  if (found.length === 0) throw new Error('the base holds no image');
  return found;
}

async function dockerImages(folder: string): Promise<readonly Base[]> {
  const images = json<readonly { readonly Config: string; readonly Layers: readonly string[] }[]>(
    join(folder, 'manifest.json'),
  );
  return Promise.all(
    images.map(({ Config, Layers }) =>
      imageBase(
        { config: join(folder, Config), digest: undefined },
        Layers.map((path) => ({ file: join(folder, path) })),
      ),
    ),
  );
}

async function imageBase(
  { config, digest }: { readonly config: string; readonly digest: string | undefined },
  layers: readonly { readonly file: string; readonly mediaType?: string }[],
): Promise<Base> {
  const { os = 'linux', architecture, config: said = {}, rootfs = {} } = json<Config>(config);
  const known = rootfs.diff_ids ?? [];
  if (known.length !== layers.length)
    throw new Error(`the base has ${layers.length} layers, and its config names ${known.length}`);
  return {
    platform: architecture === undefined ? undefined : `${os}/${architecture}`,
    env: said.Env ?? [],
    layers: await Promise.all(
      layers.map(async (layer, index) => ({ ...(await layerFile(layer)), diffId: known[index] ?? '' })),
    ),
    digest,
  };
}

async function layerFile({
  file,
  mediaType,
}: {
  readonly file: string;
  readonly mediaType?: string;
}): Promise<Omit<BaseLayer, 'diffId'>> {
  const packed = /zstd$/.test(mediaType ?? '') ? '+zstd' : isGzip(file) ? '+gzip' : '';
  return { file, mediaType: `${tarType}${packed}`, digest: await fileDigest(file), size: statSync(file).size };
}

async function layerOfTar(file: string): Promise<BaseLayer> {
  const layer = await layerFile({ file });
  return { ...layer, diffId: isGzip(file) ? await fileDigest(file, true) : layer.digest };
}

function isGzip(file: string): boolean {
  const handle = openSync(file, 'r');
  try {
    const magic = Buffer.alloc(2);
    readSync(handle, magic);
    return magic.toString('hex') === '1f8b';
  } finally {
    closeSync(handle);
  }
}

async function fileDigest(file: string, unpacks = false): Promise<string> {
  const hash = createHash('sha256');
  if (unpacks) await pipeline(createReadStream(file), createGunzip(), hash);
  else await pipeline(createReadStream(file), hash);
  return `sha256:${hash.digest('hex')}`;
}

function blob(folder: string, digest: string): string {
  const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? [];
  if (hex === undefined) throw new Error(`the base names ${JSON.stringify(digest)}, which is no sha256 digest`);
  const path = join(folder, 'blobs/sha256', hex);
  if (!existsSync(path))
    throw new Error(`the base lacks ${digest}; save all its platforms, or the one that you ask for`);
  return path;
}

const json = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

const nodePlaces = ['usr/local/bin/node', 'usr/bin/node', 'bin/node', 'nodejs/bin/node'];

/** Where the base has Node.js; undefined where it has none. */
export async function nodeOf({ layers }: Base): Promise<string | undefined> {
  const found = new Set<string>();
  for (const { file } of layers)
    await readTar(file, {
      async entry(entry) {
        found.add(entry.path.replace(/^\.?\//, ''));
        entry.resume();
      },
    });
  const place = nodePlaces.find((path) => found.has(path));
  return place === undefined ? undefined : `/${place}`;
}

/** Made for the time of `use`, also when it fails. */
export async function withScratch<T>(parent: string, use: (folder: string) => Promise<T>): Promise<T> {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'signalbox-image-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
