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
  /** Set where the module cannot be built where it was unpacked, because it names folders that are not in it: a module around it is written then. */
  readonly around?: Around;
  readonly tags: readonly string[];
  /** Variables that are set in the program: its word on what version it is, and of what. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Tells it from what an earlier table made of the same version. */
  readonly build?: string;
  /** The least minor version of Go 1. */
  readonly goMinor: number;
  readonly minutes: number;
}

/** How a module is built as a requirement of another one, which is written for that. */
export interface Around {
  /** The published version of the modules that its repository keeps beside it, and its own lists name by folders. */
  readonly besideVersion?: string;
}

const kubernetes = {
  ...{ release: '1.34.4', module: 'k8s.io/kubernetes', version: 'v1.34.4', tags: [], goMinor: 24 },
  around: { besideVersion: 'v0.34.4' },
  variables: {
    'k8s.io/component-base/version.gitVersion': 'v1.34.4',
    'k8s.io/component-base/version.gitMajor': '1',
    'k8s.io/component-base/version.gitMinor': '34',
    'k8s.io/component-base/version.gitTreeState': 'archive',
  },
};

const helm = 'helm.sh/helm/v3/pkg';

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
    build: '-kubernetes-1.34',
    // Without them it takes itself for one of Kubernetes 1.20, for which the chart is not.
    variables: {
      ...{ [`${helm}/chartutil.k8sVersionMajor`]: '1', [`${helm}/chartutil.k8sVersionMinor`]: '34' },
      ...{ [`${helm}/lint/rules.k8sVersionMajor`]: '1', [`${helm}/lint/rules.k8sVersionMinor`]: '34' },
    },
    goMinor: 24,
    minutes: 3,
  },
  { ...kubernetes, name: 'kube-apiserver', program: './cmd/kube-apiserver', minutes: 6 },
  // What both need is built by then.
  { ...kubernetes, name: 'kube-controller-manager', program: './cmd/kube-controller-manager', minutes: 2 },
  { ...kubernetes, name: 'kube-scheduler', program: './cmd/kube-scheduler', minutes: 1 },
  {
    name: 'etcd',
    release: '3.6.4',
    module: 'go.etcd.io/etcd/server/v3',
    // What Kubernetes 1.34 names itself.
    version: 'v3.6.4',
    program: '.',
    around: {},
    tags: [],
    goMinor: 24,
    minutes: 1,
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

export function peerPath({ name, version, build = '' }: Peer, folder: string): string {
  return join(folder, `${name}-${version}${build}`, name);
}

export interface Step {
  readonly says: string;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** First the module, whose own lists of versions and sums then hold. */
export function fetchStep({ name, release, module, version }: Peer, folder: string): Step {
  return {
    says: `fetching ${name} ${release} (${module} ${version})`,
    argv: ['go', 'mod', 'download', '-json', `${module}@${version}`],
    cwd: folder,
  };
}

/** What a module's own lists say, as JSON. `path` is where its go.mod lies. */
export function listsStep({ name, release }: Peer, path: string): Step {
  return { says: `reading what ${name} ${release} requires`, argv: ['go', 'mod', 'edit', '-json', path], cwd: '/' };
}

interface Places {
  /** The module as it was unpacked, where nothing is written; or the folder of the module around it. */
  readonly source: string;
  /** Gets its name when it is whole. */
  readonly target: string;
}

export function buildStep(peer: Peer, { source, target }: Places): Step {
  const { name, release, minutes, tags, program, module, around, variables = {} } = peer;
  const settings = Object.entries(variables).map(([variable, value]) => `-X ${variable}=${value}`);
  const says = `building ${name} ${release}: about ${minutes} minutes of CPU`;
  if (around === undefined)
    return {
      ...{ says, cwd: source },
      argv: [
        ...['go', 'build', '-mod=readonly', `-tags=${tags.join(',')}`],
        ...(settings.length > 0 ? [`-ldflags=${settings.join(' ')}`] : []),
        ...['-o', target, program],
      ] as const,
    };
  const flags = ['-mod=mod', '-trimpath', `-tags=${tags.join(',')}`, `-ldflags=${['-s -w', ...settings].join(' ')}`];
  return {
    ...{ says, cwd: source },
    argv: ['go', 'build', ...flags, '-o', target, join(module, program)],
    // They need no C compiler.
    env: { CGO_ENABLED: '0' },
  };
}

/** What keeps this Go from building it; undefined when nothing does. `version` is what `go version` says, undefined where there is no Go. */
export function lackOf({ name, release, goMinor }: Peer, version: string | undefined): string | undefined {
  const mend = `install Go 1.${goMinor} or newer (https://go.dev/dl/), or set ${peerVariable(name)} to the path of ${name} ${release}`;
  if (version === undefined) return `there is no \`go\` on PATH: ${mend}`;
  const minor = /\bgo1\.(\d+)/.exec(version)?.[1];
  if (minor === undefined || Number(minor) < goMinor) return `${version.trim()} is too old: ${mend}`;
  return undefined;
}

/** The variable of the environment by which somebody names a program of their own: `KUBE_APISERVER`. */
export function peerVariable(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
