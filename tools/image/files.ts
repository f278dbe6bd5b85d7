/** What the layer of ours holds: the bundled command line, and the libraries that are not bundled into it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A file of the image. */
export interface ImageFile {
  /** In the image, without a leading `/`. */
  readonly path: string;
  readonly content: { readonly file: string } | { readonly text: string };
  readonly isProgram: boolean;
}

/** In the image, without a leading `/`. */
export const home = 'usr/lib/signalbox';

/** What Node.js is given to run. */
export const program: string = `/${home}/dist/bundle/main.js`;

/** In the image. */
export const sbomPath: string = `${home}/sbom.spdx.json`;

export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A package as it is installed. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  /** Undefined: the lock names none. */
  readonly licence: string | undefined;
  readonly integrity: string | undefined;
  /** Below the folder whose lock it is. */
  readonly path: string;
}

/** These packages and all that they need, sorted by name. Throws for one that the lock does not have. */
export function closureOf(names: readonly string[], { packages }: Lock): readonly Installed[] {
  const found = new Map<string, Installed>();
  const left = [...names];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (found.has(name)) continue;
    const installed = installedAt(`node_modules/${name}`, packages);
    found.set(name, installed);
    left.push(...Object.keys(packages[installed.path]?.dependencies ?? {}));
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What the lock says of a package, by its path from the root. */
export function installedAt(path: string, packages: Lock['packages']): Installed {
  const { version, license, integrity } = packages[path] ?? {};
  if (version === undefined) throw new Error(`package-lock.json has no ${path}`);
  const name = path.replace(/^(?:.*\/)?node_modules\//, '');
  return { name, version, licence: license, integrity, path };
}

/** Without C sources, tests, types and documents. */
const isNeeded = (path: string): boolean =>
  /(\.([cm]?js|node)|(^|\/)(package\.json|licen[cs]e[^/]*))$/i.test(path) &&
  !/(^|\/)(src|dependencies|tests?|benchmarks?|node_modules)\//.test(path);

/** Node-API works with every Node.js that we do; distroless and slim images have glibc. */
const isOtherBinary = (path: string): boolean => path.endsWith('.node') && !path.endsWith('.napi.glibc.node');

/** Files of a package where it is installed, at the same place below our own. */
export function packageFiles(folder: string, name: string): readonly ImageFile[] {
  return filesBelow(folder)
    .filter((path) => isNeeded(path) && !isOtherBinary(path))
    .map((path) => ({ path: `${home}/node_modules/${name}/${path}`, ...copied(join(folder, path)) }));
}

/** The command line as it was built. */
export function commandLineFiles(root: string): readonly ImageFile[] {
  const folder = join(root, 'packages/cli');
  if (!existsSync(join(folder, 'dist/bundle/main.js')))
    throw new Error('there is nothing built: run `npm run build` first');
  const paths = ['LICENSE', 'package.json', ...filesBelow(join(folder, 'dist')).map((path) => `dist/${path}`)];
  return [
    ...paths.map((path) => ({ path: `${home}/${path}`, ...copied(join(folder, path)) })),
    { path: `${home}/bin/signalbox`, content: { file: join(folder, 'bin/signalbox') }, isProgram: true },
  ];
}

const copied = (file: string): Pick<ImageFile, 'content' | 'isProgram'> => ({ content: { file }, isProgram: false });

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
}
