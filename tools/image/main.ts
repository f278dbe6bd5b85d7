/**
 * Builds the image of Signalbox without a container engine: `npm run image`. The same files give the same bytes.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readArguments } from '../arguments.ts';
import { packagesIn } from '../bundle.ts';
import { type Base, nodeOf, readBase, withScratch } from './base.ts';
import { commandLineFiles, type Installed, installedAt, type Lock, readLock, sbomPath } from './files.ts';
import { layerOf, layOut } from './layer.ts';
import { type ImageFacts, type PlatformImage, writeLayout } from './layout.ts';
import { librariesFor, natives } from './libraries.ts';
import { sbomOf } from './sbom.ts';

const root = resolve(import.meta.dirname, '../..');
/** Perhaps a registry with its port, then words in small letters, and a tag. */
const reference = /^([\w.-]+(:\d+)?\/)?[a-z\d]+([._/-]+[a-z\d]+)*:\w[\w.-]{0,127}$/;
const platforms = Object.keys(natives);
const ownPlatform = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`;
const usage = `npm run image -- [OPTION…]

Builds an OCI image as one archive, for podman load, docker load, skopeo, crane or \`signalbox up --images\`.

  --base PATH         what it stands on: a root file system or an image (OCI layout, docker save), as folder or archive;
                      it has Node.js 20 or newer, as distroless/nodejs or node:slim have. Without one the image holds
                      our files alone, to be copied from
  --platform OS/ARCH  one or more of ${platforms.join(', ')}; else all that the base has
  --name NAME:TAG     else signalbox:VERSION
  --out FILE          else dist/signalbox-VERSION.oci.tar
  --tree FOLDER       lays out the files for one platform instead (what the Containerfile copies),
                      this machine's unless --platform names one
`;

const { values } = readArguments(
  {
    options: {
      base: { type: 'string' },
      platform: { type: 'string', multiple: true },
      name: { type: 'string' },
      out: { type: 'string' },
      tree: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  },
  usage.split('\n', 1)[0] ?? '',
);

interface Wish {
  readonly facts: ImageFacts;
  readonly lock: Lock;
  readonly scratch: string;
}

// Folders are everybody's to read, too, whoever builds: modes are bytes of the archive.
process.umask(0o022);
if (values.help === true) process.stdout.write(`usage: ${usage}`);
else await main();

async function main(): Promise<void> {
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
      readonly version: string;
    };
    const revision = git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*');
    const facts: ImageFacts = { name: nameOf(version), version, revision, created: new Date(1_000 * createdSeconds()) };
    await withScratch(tmpdir(), async (scratch) => {
      const wish = { facts, lock: readLock(root), scratch };
      await (values.tree === undefined ? buildArchive(wish) : layOutTree(values.tree, wish));
    });
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

function nameOf(version: string): string {
  const given = values.name ?? 'signalbox';
  const name = /:[^/]+$/.test(given) ? given : `${given}:${version}`;
  if (!reference.test(name))
    throw new Error(
      `--name ${given}: it is no name of an image: give one such as registry.example.com/signalbox:${version}`,
    );
  return name;
}

/** As other reproducible builds have it; else the commit's time. */
function createdSeconds(): number {
  const given = process.env['SOURCE_DATE_EPOCH'] ?? git('log', '-1', '--format=%ct');
  if (!/^\d*$/.test(given))
    throw new Error(`SOURCE_DATE_EPOCH is ${JSON.stringify(given)}: expected seconds since 1970`);
  return Number(given);
}

/** Empty where there is no git, or no commit. */
function git(...args: readonly string[]): string {
  const { status, stdout } = spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout.trim() : '';
}

async function buildArchive(wish: Wish): Promise<void> {
  const { facts, scratch } = wish;
  const bases = values.base === undefined ? [] : await readBase(values.base, scratch);
  const images: PlatformImage[] = [];
  for (const platform of platformsFor(bases)) {
    const base = bases.find((each) => (each.platform ?? platform) === platform);
    const node = base === undefined ? 'node' : await nodeOf(base);
    if (node === undefined)
      throw new Error(`the base ${values.base ?? ''} has no Node.js for ${platform} (bin/node): take one that has`);
    const folder = join(scratch, platform.replace('/', '-'));
    mkdirSync(folder, { mode: 0o755 });
    layOut(filesFor(platform, wish), folder);
    images.push({
      ...{ platform, base, node },
      layer: layerOf(folder, { tar: `${folder}.tar`, modified: facts.created }),
    });
  }
  const out = resolve(values.out ?? join(root, 'dist', `signalbox-${facts.version}.oci.tar`));
  mkdirSync(dirname(out), { recursive: true });
  const places = { folder: join(scratch, 'layout'), archive: `${out}.${process.pid}` };
  const digest = writeLayout(images, facts, places);
  renameSync(places.archive, out);
  for (const { platform, layer } of images)
    process.stderr.write(`${platform}: our layer has ${(layer.bytes.length / 1e6).toFixed(1)} MB\n`);
  if (bases.length === 0)
    process.stderr.write('without --base there is no Node.js in it: it is there to be copied from\n');
  process.stdout.write(`${out} ${facts.name}@${digest}\n`);
}

/** What was asked for, else what the base has. */
function platformsFor(bases: readonly Base[]): readonly string[] {
  // Engines call the same platform by its variant as well.
  const given = values.platform
    ?.flatMap((each) => each.split(','))
    .map((each) => each.replace(/^linux\/arm64\/v8$/, 'linux/arm64'));
  const unknown = given?.find((each) => !platforms.includes(each));
  if (unknown !== undefined)
    throw new Error(`there are no binaries for ${unknown}: there are some for ${platforms.join(', ')}`);
  const based = bases.flatMap(({ platform }) => platform ?? []);
  const isSaid = bases.length > 0 && based.length === bases.length;
  const missing = given?.find((each) => isSaid && !based.includes(each));
  if (missing !== undefined) throw new Error(`the base has no image for ${missing}, only for ${based.join(', ')}`);
  if (given !== undefined) return given;
  if (bases.length > 0 && !isSaid)
    throw new Error('the base does not say which platform it is for: name it by --platform');
  return isSaid ? platforms.filter((each) => based.includes(each)) : platforms;
}

function layOutTree(folder: string, wish: Wish): void {
  const [platform = ownPlatform, ...others] = values.platform === undefined ? [] : platformsFor([]);
  if (others.length > 0) throw new Error('--tree lays out one platform: name one by --platform');
  if (existsSync(folder)) throw new Error(`${folder} is there already`);
  layOut(filesFor(platform, wish), folder);
}

function filesFor(platform: string, { facts, lock, scratch }: Wish) {
  const libraries = librariesFor(platform, { root, lock, scratch });
  const packages = [...bundled(lock), ...libraries.packages];
  const { version, created } = facts;
  const sbom = sbomOf({ version, created, packages }, (text) =>
    createHash('sha256').update(text).digest('hex').slice(0, 32),
  );
  return [...commandLineFiles(root), ...libraries.files, { path: sbomPath, content: { text: sbom }, isProgram: false }];
}

/** What esbuild has taken into the bundle. */
function bundled({ packages }: Lock): readonly Installed[] {
  const meta = join(root, 'node_modules/.cache/bundle.json');
  if (!existsSync(meta)) throw new Error('there is nothing built: run `npm run build` first');
  const { inputs } = JSON.parse(readFileSync(meta, 'utf8')) as { readonly inputs: Readonly<Record<string, unknown>> };
  return packagesIn(inputs).map((path) => installedAt(path, packages));
}
