/** Upstream programs that tests stand beside, where the machine's packages have none that serves: what they are, and how each is built. */
import { join } from 'node:path';

export interface Peer {
  readonly name: string;
  /** What users call this version. */
  readonly release: string;
  readonly module: string;
  readonly version: string;
  /** The package of the program, from the module's root. */
  readonly program: string;
  readonly tags: readonly string[];
  /** The least minor version of Go 1. */
  readonly goMinor: number;
  readonly minutes: number;
}

export const peers: readonly Peer[] = [
  {
    name: 'prometheus',
    release: '3.14',
    module: 'github.com/prometheus/prometheus',
    // The next one does not build from what the module holds.
    version: 'v0.314.0',
    program: './cmd/prometheus',
    // Without the clouds it takes a third of the time.
    tags: ['remove_all_sd', 'enable_kubernetes_sd'],
    goMinor: 25,
    minutes: 5,
  },
  {
    name: 'helm',
    release: '3.19',
    module: 'helm.sh/helm/v3',
    version: 'v3.19.5',
    program: './cmd/helm',
    tags: [],
    goMinor: 24,
    minutes: 3,
  },
];

/** Where programs are kept, by version. */
export function peersFolder(env: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CACHE_HOME: cache = '', HOME: home = '' } = env;
  // A path that is not absolute is to be ignored, says the specification.
  if (cache.startsWith('/')) return join(cache, 'signalbox/peers');
  if (home === '') throw new Error('neither XDG_CACHE_HOME nor HOME names a folder for what is built: set one of them');
  return join(home, '.cache/signalbox/peers');
}

export function peerPath({ name, version }: Peer, folder: string): string {
  return join(folder, `${name}-${version}`, name);
}

export interface Step {
  readonly says: string;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
}

/** First the module, whose own lists of versions and sums then hold: it is built where it was unpacked, and nothing is written there. */
export function fetchStep({ name, release, module, version }: Peer, folder: string): Step {
  return {
    says: `fetching ${name} ${release} (${module} ${version})`,
    argv: ['go', 'mod', 'download', '-json', `${module}@${version}`],
    cwd: folder,
  };
}

/** `target` gets its name when it is whole. */
export function buildStep(peer: Peer, { source, target }: { readonly source: string; readonly target: string }): Step {
  const { name, release, minutes, tags, program } = peer;
  return {
    says: `building ${name} ${release}: about ${minutes} minutes of CPU`,
    argv: ['go', 'build', '-mod=readonly', `-tags=${tags.join(',')}`, '-o', target, program],
    cwd: source,
  };
}

/** What keeps this Go from building it; undefined when nothing does. `version` is what `go version` says, undefined where there is no Go. */
export function lackOf({ name, release, goMinor }: Peer, version: string | undefined): string | undefined {
  const mend = `install Go 1.${goMinor} or newer (https://go.dev/dl/), or set ${name.toUpperCase()} to the path of ${name} ${release}`;
  if (version === undefined) return `there is no \`go\` on PATH: ${mend}`;
  const minor = /\bgo1\.(\d+)/.exec(version)?.[1];
  if (minor === undefined || Number(minor) < goMinor) return `${version.trim()} is too old: ${mend}`;
  return undefined;
}
