/** Images of a folder: OCI layouts and archives of `docker save`, unpacked once and kept by what they are. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Image } from '../image.ts';
import { applyLayer } from './apply-layer.ts';
import {
  type ArchivedImage,
  architectureOf,
  blobPath,
  type DockerImage,
  dockerImages,
  fitsPlatform,
  type ImageConfig,
  isIndex,
  namesOf,
  type OciDescriptor,
  type OciIndex,
  type OciManifest,
  unpackedImage,
} from './content.ts';
import { readTar } from './tar-entries.ts';

export interface ArchivesOptions {
  /** What people put images into. */
  readonly folder: string;
  /** Ours, on a disk that has room. */
  readonly cache: string;
  readonly isRoot: boolean;
  /** `process.arch` */
  readonly arch: string;
}

export interface Archives {
  /** By full name; undefined: no archive has it. Throws when one has it and cannot be unpacked. */
  unpacked(fullName: string): Promise<Image | undefined>;
}

const jsonBytesMax = 4 << 20;
const imageBytesMax = 16 * 2 ** 30;

/** Looked through anew when something in the folder has changed: somebody may just have put an image there. */
export function createArchives(options: ArchivesOptions): Archives {
  let stamp = '';
  let found = new Map<string, Promise<Image | undefined>>();
  return {
    async unpacked(fullName) {
      const places = await placesIn(options.folder);
      const now = JSON.stringify(await Promise.all(places.map(stampOf)));
      if (now !== stamp) found = new Map();
      stamp = now;
      const current = found;
      const image = current.get(fullName) ?? find(fullName, places, options);
      current.set(fullName, image);
      // What failed is tried again.
      image.catch(() => current.delete(fullName));
      return image;
    },
  };
}

async function stampOf(place: string): Promise<unknown> {
  const { ino, size, mtimeMs } = await stat((await isFile(place)) ? place : join(place, 'index.json'));
  return [place, ino, size, mtimeMs];
}

async function find(fullName: string, places: readonly string[], options: ArchivesOptions): Promise<Image | undefined> {
  for (const place of places) {
    const opened = await openArchive(place, options);
    try {
      const images = await imagesOf(opened.folder, { name: archiveName(place), arch: options.arch });
      const image = images.find(({ names }) => names.includes(fullName));
      if (image !== undefined) return await unpack(opened.folder, image, options);
    } catch (error) {
      throw new Error(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    } finally {
      await opened.close();
    }
  }
  return undefined;
}

/** Layouts and archives; the folder itself may be a layout. */
async function placesIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).sort();
  if (names.includes('oci-layout')) return [folder];
  const found: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    if (/\.(tar|tar\.gz|tgz)$/.test(name)) found.push(path);
    else if (await isFile(join(path, 'oci-layout'))) found.push(path);
  }
  return found;
}

async function isFile(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() === true;
}

function archiveName(place: string): string {
  return basename(place).replace(/\.(tar|tar\.gz|tgz)$/, '');
}

interface Opened {
  readonly folder: string;
  close(): Promise<void>;
}

/** An archive is unpacked for as long as it is read. */
async function openArchive(place: string, { cache }: ArchivesOptions): Promise<Opened> {
  if ((await stat(place)).isDirectory()) return { folder: place, close: async () => undefined };
  await mkdir(cache, { recursive: true, mode: 0o755 });
  const folder = await mkdtemp(join(cache, 'opened-'));
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await extractBlobs(place, folder);
  } catch (error) {
    await close();
    throw new Error(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  return { folder, close };
}

const blobName = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*\/)*[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Regular files only; whatever leads elsewhere is left out, and missed when it was needed. */
async function extractBlobs(archive: string, folder: string): Promise<void> {
  let bytes = 0;
  await readTar(archive, {
    async entry(entry) {
      bytes += entry.size;
      if (bytes > imageBytesMax) throw new Error(`it holds more than ${imageBytesMax} bytes`);
      const path = entry.path.replace(/^\.\//, '');
      if (entry.type !== 'File' || !blobName.test(path)) {
        entry.resume();
        return;
      }
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await pipeline(entry, createWriteStream(join(folder, path)));
    },
  });
}

async function imagesOf(
  folder: string,
  { name, arch }: { readonly name: string; readonly arch: string },
): Promise<readonly ArchivedImage[]> {
  if (await isFile(join(folder, 'manifest.json')))
    return dockerImages((await json(folder, 'manifest.json')) as readonly DockerImage[]);
  const { manifests = [] } = (await json(folder, 'index.json')) as OciIndex;
  const found: ArchivedImage[] = [];
  for (const each of manifests) {
    const names = namesOf(each, name);
    for (const { digest } of await manifestsOf(folder, each, arch)) {
      const { config, layers = [] } = (await json(folder, blobPath(digest))) as OciManifest;
      found.push({ names, config: blobPath(config?.digest), layers: layers.map((layer) => blobPath(layer.digest)) });
    }
  }
  return found;
}

async function manifestsOf(folder: string, each: OciDescriptor, arch: string): Promise<readonly OciDescriptor[]> {
  const fits = (one: OciDescriptor): boolean => fitsPlatform(one, architectureOf(arch));
  if (!isIndex(each)) return [each].filter(fits);
  const { manifests = [] } = (await json(folder, blobPath(each.digest))) as OciIndex;
  return manifests.filter(fits).slice(0, 1);
}

async function json(folder: string, path: string): Promise<unknown> {
  return JSON.parse((await readBlob(folder, path)).toString('utf8')) as unknown;
}

async function readBlob(folder: string, path: string): Promise<Buffer> {
  const file = await blobFile(folder, path);
  const { size } = await stat(file);
  if (size > jsonBytesMax) throw new Error(`${path} has more than ${jsonBytesMax} bytes`);
  return readFile(file);
}

async function blobFile(folder: string, path: string): Promise<string> {
  if (!blobName.test(path)) throw new Error(`${JSON.stringify(path)} is no path in an archive`);
  const file = join(folder, path);
  const [real, root] = await Promise.all([realpath(file).catch(() => undefined), realpath(folder)]);
  if (real === undefined) throw new Error(`${path} is missing`);
  if (!real.startsWith(`${root}/`)) throw new Error(`${path} leads out of the archive`);
  return file;
}

async function unpack(folder: string, image: ArchivedImage, options: ArchivesOptions): Promise<Image> {
  const bytes = await readBlob(folder, image.config);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const config = JSON.parse(bytes.toString('utf8')) as ImageConfig;
  const kept = join(options.cache, digest);
  if (!(await isFile(join(kept, 'config.json')))) {
    const layers = await layersOf(folder, image, config);
    await mkdir(options.cache, { recursive: true, mode: 0o755 });
    const next = await mkdtemp(join(options.cache, 'unpacking-'));
    try {
      await unpackInto(next, layers, options);
      await writeFile(join(next, 'config.json'), bytes);
      await rm(kept, { recursive: true, force: true });
      await rename(next, kept);
    } finally {
      await rm(next, { recursive: true, force: true });
    }
  }
  const path = join(kept, 'root');
  const [passwd, group] = await Promise.all([account(path, 'passwd'), account(path, 'group')]);
  return unpackedImage(config, { digest, path, accounts: { passwd, group } });
}

async function layersOf(
  folder: string,
  { layers }: ArchivedImage,
  { rootfs }: ImageConfig,
): Promise<readonly { readonly file: string; readonly diffId: string }[]> {
  const diffIds = rootfs?.diff_ids ?? [];
  if (diffIds.length !== layers.length)
    throw new Error(`it has ${layers.length} layers, and its config names ${diffIds.length}`);
  return Promise.all(
    layers.map(async (path, index) => ({ file: await blobFile(folder, path), diffId: diffIds[index] ?? '' })),
  );
}

async function unpackInto(
  folder: string,
  layers: Awaited<ReturnType<typeof layersOf>>,
  { isRoot }: ArchivesOptions,
): Promise<void> {
  const root = join(folder, 'root');
  await mkdir(root, { mode: 0o755 });
  let left = imageBytesMax;
  for (const layer of layers) left -= await applyLayer(root, layer, { isRoot, bytesMax: left });
}

/** A link there could lead anywhere on this machine. */
async function account(root: string, name: string): Promise<string> {
  const file = join(root, 'etc', name);
  const [real, base] = await Promise.all([realpath(file).catch(() => undefined), realpath(root)]);
  if (real === undefined || !real.startsWith(`${base}/`) || (await stat(real)).size > jsonBytesMax) return '';
  return readFile(real, 'utf8');
}
