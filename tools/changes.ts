/** Change files become a section of the change log; all packages have one version. Pure. */

export interface ChangeFile {
  readonly name: string;
  readonly text: string;
}

export interface Release {
  readonly files: readonly ChangeFile[];
  readonly version: string;
  /** `2026-01-31` */
  readonly date: string;
  /** A section that says what restarts; empty: nothing to say. Asked for once all else is right. */
  readonly restarts: () => string;
}

const kinds = ['added', 'changed', 'fixed', 'removed', 'security'] as const;
type Kind = (typeof kinds)[number];

const title = '# Changes\n';

/** The change log with a new section on top. Throws an Error that names the file and the mend. */
export function collect(changelog: string, { files, version, date, restarts }: Release): string {
  if (!/^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/.test(version))
    throw new Error(`"${version}" is no version: give one such as 0.2.0`);
  if (changelog.includes(`\n## ${version} `))
    throw new Error(`CHANGELOG.md has a section ${version}: give the next one`);
  if (files.length === 0) throw new Error('there is nothing to release: changes/ has no file');
  const changes = files.toSorted((a, b) => numberOf(a) - numberOf(b)).map(parseChange);
  const sections = kinds.flatMap((kind) => {
    const entries = changes.filter((change) => change.kind === kind).map(({ entry }) => entry);
    return entries.length === 0 ? [] : [`### ${kind[0]?.toUpperCase()}${kind.slice(1)}\n\n${entries.join('\n')}\n`];
  });
  const told = restarts();
  const earlier = changelog.startsWith(title) ? changelog.slice(title.length) : changelog;
  return `${title}\n## ${version} (${date})\n\n${[...(told === '' ? [] : [told]), ...sections].join('\n')}${earlier}`;
}

function numberOf({ name }: ChangeFile): number {
  return Number.parseInt(name, 10);
}

function parseChange({ name, text }: ChangeFile): { readonly kind: Kind; readonly entry: string } {
  if (!/^\d{3,4}-[a-z0-9-]+\.md$/.test(name))
    throw new Error(`changes/${name}: call it by a number and words, such as 012-what-changed.md`);
  const [first = '', ...rest] = text.trim().split('\n');
  const kind = kinds.find((each) => each === first.trim());
  if (kind === undefined)
    throw new Error(`changes/${name}: the first line says ${JSON.stringify(first)}; it is one of ${kinds.join(', ')}`);
  const entry = rest.join('\n').trim();
  if (entry === '') throw new Error(`changes/${name}: say below the kind what a user notices`);
  return { kind, entry: `- ${entry.replace(/\n(?=[^\n])/g, '\n  ')}` };
}

/**
 * A package's manifest or the lock file with the version of our packages, and of what they need of each other, set; all else
 * stays byte for byte.
 */
export function withVersion(text: string, version: string): string {
  const parsed = JSON.parse(text) as Manifest & { readonly packages?: Readonly<Record<string, Manifest>> };
  const own =
    parsed.packages === undefined
      ? versioned(parsed, version)
      : {
          ...parsed,
          packages: Object.fromEntries(
            Object.entries(parsed.packages).map(([path, manifest]) => [
              path,
              /^packages\/[^/]+$/.test(path) ? versioned(manifest, version) : manifest,
            ]),
          ),
        };
  return `${JSON.stringify(own, null, 2)}\n`;
}

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function versioned(manifest: Manifest, version: string): Manifest {
  const needs = (['dependencies', 'devDependencies', 'peerDependencies'] as const).flatMap((field) => {
    const all = manifest[field];
    if (all === undefined) return [];
    const pinned = Object.entries(all).map(([name, at]) => [name, name.startsWith('@signalbox/') ? version : at]);
    return [[field, Object.fromEntries(pinned)]];
  });
  return { ...manifest, version, ...Object.fromEntries(needs) };
}

/** A source that says the version of its package in `export const version`, with another one. Throws where it says none. */
export function withVersionConstant(source: string, version: string): string {
  const pattern = /^export const version = '[^']*';$/m;
  if (!pattern.test(source)) throw new Error("no line `export const version = '…';`: say the version there again");
  return source.replace(pattern, `export const version = '${version}';`);
}

/** A file of `deploy/` with another version of the chart, and of the image. Throws where it says none. */
export function withDeployedVersion(text: string, version: string): string {
  const pattern = /(^(?:version|appVersion): "|image: "signalbox:)[^"]+"/gm;
  if (text.match(pattern) === null)
    throw new Error('no line `version: "…"` or `image: "signalbox:…"`: say the version there again');
  return text.replace(pattern, `$1${version}"`);
}
