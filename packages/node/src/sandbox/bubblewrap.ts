/**
 * The arguments with which bubblewrap makes a container. Its root holds what is named here and nothing else: the machine's
 * `/etc`, `/home`, `/root` and our own folders are not in it, because nobody put them there.
 */
import type { ContainerLaunch } from '../protocol/launch.ts';
import { capabilitiesOf } from './capabilities.ts';

/** A file or folder of the machine, and where the container sees it. */
export interface ResolvedMount {
  readonly source: string;
  readonly target: string;
  readonly isReadOnly: boolean;
}

/** What the sandbox has to know of the machine; the same for all containers. */
export interface MachineRoot {
  /** Inside has all rights of the machine's root: users are taken as they are. Else there is one user, called as asked. */
  readonly isRoot: boolean;
  /** `/bin`, `/lib64` … as they are: links into `/usr`, or folders (undefined). */
  readonly links: readonly { readonly path: string; readonly target: string | undefined }[];
  /** setpriv and what it needs, for images that have none. */
  readonly setpriv: Helper;
}

/** What containers see of `/etc`: copies of what the machine has there, and accounts of our own. */
export interface EtcFolder {
  /** With an `etc` in it. */
  readonly folder: string;
  /** What is in it, as containers know it: `/etc/passwd`. */
  readonly paths: readonly string[];
  /** The names in one of its folders; none: it is a file. */
  namesIn(path: string): readonly string[];
}

export interface Helper {
  readonly program: string;
  /** The loader first. */
  readonly libraries: readonly string[];
}

/** What programs need of `/etc`, and what says nothing of this machine's people. */
export const etcPaths: readonly string[] = [
  '/etc/alternatives',
  '/etc/ca-certificates.conf',
  '/etc/ca-certificates',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/pki/ca-trust',
  '/etc/pki/tls/certs',
  '/etc/protocols',
  '/etc/services',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
];

export interface SandboxOf {
  readonly launch: ContainerLaunch;
  readonly mounts: readonly ResolvedMount[];
  readonly machine: MachineRoot;
  readonly etc: EtcFolder;
  /** Where an image's files are, already with a layer to write to. */
  readonly imageRoot: string | undefined;
  /** What every container of the pod has: `/etc/hosts`, shared memory, where it may leave its last words. */
  readonly podMounts: readonly ResolvedMount[];
  readonly env: Readonly<Record<string, string>>;
  /** Processes are those of the pod: it has a namespace for them already. */
  readonly sharesProcesses: boolean;
}

export interface SandboxCommand {
  /** Given by a descriptor: what stands in a command line can be read by anybody on the machine. */
  readonly options: readonly string[];
  readonly argv: readonly string[];
}

/** What a container may write to its root and to `/tmp`, which are memory. */
const scratchBytesMax = 256 << 20;
const helpers = '/.signalbox';

export function sandboxCommand(of: SandboxOf): SandboxCommand {
  const { launch, sharesProcesses } = of;
  return {
    options: [
      ...(sharesProcesses ? [] : ['--unshare-pid', '--as-pid-1']),
      '--die-with-parent',
      // With a terminal of its own it is a session of its own already, and keeps its terminal.
      ...(launch.tty ? [] : ['--new-session']),
      ...userOptions(of),
      ...rootOptions(of),
      ...['--proc', '/proc', '--dev', '/dev'],
      // Those among which its own was made: in others it has no name.
      ...(launch.tty ? ['--dev-bind', '/dev/pts', '/dev/pts'] : []),
      ...mountOptions(of.podMounts),
      ...mountOptions(of.mounts),
      ...helperOptions(of),
      ...[...foldersAbove(launch.cwd), launch.cwd].flatMap((folder) => ['--dir', folder]),
      ...['--chdir', launch.cwd],
      ...(launch.isRootReadOnly ? ['--remount-ro', '/'] : []),
      '--clearenv',
      ...Object.entries(of.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ],
    argv: [...becomeUser(of), ...launch.argv],
  };
}

function userOptions({ launch, machine: { isRoot } }: SandboxOf): readonly string[] {
  const { uid = 0, gid = uid } = launch.user;
  const capabilities = [...capabilitiesOf(launch), ...(isRoot && changesUser(launch) ? settling : [])];
  return [
    ...(isRoot ? [] : ['--unshare-user', '--uid', String(uid), '--gid', String(gid)]),
    ...['--cap-drop', 'ALL'],
    ...[...new Set(capabilities)].flatMap((name) => ['--cap-add', `CAP_${name}`]),
  ];
}

/** What setpriv needs, and gives up. */
const settling = ['SETGID', 'SETPCAP', 'SETUID'];

function changesUser({ user }: Pick<ContainerLaunch, 'user'>): boolean {
  return (user.uid ?? 0) !== 0 || (user.gid ?? 0) !== 0 || user.groups.length > 0;
}

/** The beginning of the command, where a user has to be changed from within. */
export function becomeUser({ launch, machine }: Pick<SandboxOf, 'launch' | 'machine'>): readonly string[] {
  if (!machine.isRoot || !changesUser(launch)) return [];
  return [...setprivIn(launch, machine), ...identityOptions(launch)];
}

/** setpriv as the container finds it; an image has ours, with its own loader. */
export function setprivIn({ root }: Pick<ContainerLaunch, 'root'>, { setpriv }: MachineRoot): readonly string[] {
  if (root.is === 'programs') return [setpriv.program];
  const [loader = ''] = setpriv.libraries;
  return [`${helpers}/${nameOf(loader)}`, '--library-path', helpers, `${helpers}/setpriv`];
}

/** For setpriv: the user, and what it may do at most. */
export function identityOptions(
  launch: Pick<ContainerLaunch, 'user' | 'capabilities' | 'isPrivileged'>,
): readonly string[] {
  const { uid = 0, gid = 0, groups } = launch.user;
  return [
    ...['--reuid', String(uid), '--regid', String(gid)],
    ...(groups.length === 0 ? ['--clear-groups'] : ['--groups', groups.join(',')]),
    ...boundOptions(launch),
  ];
}

export function boundOptions(
  launch: Pick<ContainerLaunch, 'user' | 'capabilities' | 'isPrivileged'>,
): readonly string[] {
  const kept = capabilitiesOf(launch).map((name) => `,+${name.toLowerCase()}`);
  return [`--bounding-set=-all${kept.join('')}`, '--inh-caps=-all', '--ambient-caps=-all', '--pdeathsig', 'KILL', '--'];
}

function rootOptions(of: SandboxOf): readonly string[] {
  const { launch, machine, etc, imageRoot } = of;
  if (imageRoot !== undefined) return ['--bind', imageRoot, '/'];
  return [
    ...['--size', String(scratchBytesMax), '--tmpfs', '/'],
    ...['--ro-bind', '/usr', '/usr'],
    ...machine.links.flatMap(({ path, target }) =>
      target === undefined ? ['--ro-bind', path, path] : ['--symlink', target, path],
    ),
    ...etcOptions(etc, new Set([...of.podMounts, ...of.mounts].map(({ target }) => withoutSlashes(target)))),
    ...['--perms', '0700', '--dir', '/root', '--dir', '/run', '--dir', '/var', '--symlink', '../run', '/var/run'],
    ...['--perms', '1777', '--size', String(scratchBytesMax), '--tmpfs', '/tmp'],
    ...(launch.root.is === 'programs' ? mountOptions(launch.root.paths.map(asItIs)) : []),
  ];
}

/**
 * One mount for all of them: with each, bubblewrap reads all mounts there are. The links are relative, so that what is mounted at one
 * finds its place, and beside `/etc`, so that relative links among the files lead where they did.
 */
function etcOptions(etc: EtcFolder, mounted: ReadonlySet<string>): readonly string[] {
  const folders = new Set(etc.paths.flatMap(foldersAbove));
  return [
    ...['--ro-bind', `${etc.folder}/etc`, helpers],
    ...[...folders].flatMap((each) => ['--dir', each]),
    ...etc.paths.flatMap((path) => etcLinks(path, etc, mounted)),
  ];
}

/** Nothing where something is mounted, since a link may lead to where nothing can be; a folder of links where it is mounted below. */
function etcLinks(path: string, etc: EtcFolder, mounted: ReadonlySet<string>): readonly string[] {
  if (mounted.has(path)) return [];
  const names = [...mounted].some((target) => target.startsWith(`${path}/`)) ? etc.namesIn(path) : [];
  if (names.length > 0) return ['--dir', path, ...names.flatMap((name) => etcLinks(`${path}/${name}`, etc, mounted))];
  const up = '../'.repeat(foldersAbove(path).length);
  return ['--symlink', `${up}${helpers.slice(1)}${path.slice('/etc'.length)}`, path];
}

function withoutSlashes(path: string): string {
  return `/${path.split('/').filter(Boolean).join('/')}`;
}

function asItIs(path: string): ResolvedMount {
  return { source: path, target: path, isReadOnly: true };
}

/** Outer ones first: an inner one would be hidden by them. */
function mountOptions(mounts: readonly ResolvedMount[]): readonly string[] {
  const steps = ({ target }: ResolvedMount): number => target.split('/').length;
  return mounts
    .toSorted((one, other) => steps(one) - steps(other))
    .flatMap(({ source, target, isReadOnly }) => [
      // What bubblewrap makes on the way by itself only root may enter.
      ...foldersAbove(target).flatMap((folder) => ['--dir', folder]),
      ...[isReadOnly ? '--ro-bind' : '--bind', source, target],
    ]);
}

/** `/a/b/c` → `/a`, `/a/b`. */
function foldersAbove(path: string): readonly string[] {
  const steps = path.split('/').filter(Boolean).slice(0, -1);
  return steps.map((_, index) => `/${steps.slice(0, index + 1).join('/')}`);
}

function helperOptions({ launch, machine: { setpriv } }: SandboxOf): readonly string[] {
  if (launch.root.is === 'programs') return [];
  return [
    ...['--ro-bind', setpriv.program, `${helpers}/setpriv`],
    ...setpriv.libraries.flatMap((path) => ['--ro-bind', path, `${helpers}/${nameOf(path)}`]),
  ];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Accounts of containers that have no image to bring their own. */
export const accountFiles: Readonly<Record<string, string>> = {
  passwd: [
    'root:x:0:0:root:/root:/bin/sh',
    'daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin',
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
    '',
  ].join('\n'),
  group: ['root:x:0:', 'daemon:x:1:', 'nogroup:x:65534:', ''].join('\n'),
  'nsswitch.conf': ['passwd: files', 'group: files', 'hosts: files dns', ''].join('\n'),
};
