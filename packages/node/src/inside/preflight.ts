/** Whether this machine lets a node run at all; where not, what is missing and the mend, for people. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostEnv, run } from './run.ts';
import { namespaceArgv } from './start-inside.ts';

export interface MachineFacts {
  /** `linux`, as Node says it. */
  readonly platform: string;
  readonly isRoot: boolean;
  readonly missingPrograms: readonly string[];
  /** What `unshare` said when it was refused; undefined: namespaces can be made. */
  readonly refusal: string | undefined;
  /** `/proc/sys/user/max_user_namespaces`. */
  readonly userNamespacesMax: number | undefined;
  /** Ubuntu's `kernel.apparmor_restrict_unprivileged_userns`, Debian's `kernel.unprivileged_userns_clone` at 0. */
  readonly restriction: 'apparmor' | 'debian' | undefined;
  readonly isInContainer: boolean;
}

/** Debian's package of each program that inside needs. */
const packages: Readonly<Record<string, string>> = {
  bwrap: 'bubblewrap',
  ip: 'iproute2',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
  mount: 'mount',
  hostname: 'hostname',
  mkfifo: 'coreutils',
};

/** One line each; none: it will run. */
export function lacksOf(facts: MachineFacts): readonly string[] {
  const { platform, missingPrograms } = facts;
  if (platform !== 'linux') return [`real nodes need Linux, and this is ${platform}: run it in a virtual machine`];
  if (missingPrograms.length > 0) {
    const needed = [...new Set(missingPrograms.map((name) => packages[name] ?? name))].sort().join(' ');
    return [`not installed: ${missingPrograms.join(', ')}; on Debian and Ubuntu: apt-get install ${needed}`];
  }
  return facts.refusal === undefined ? [] : [refusalOf(facts, facts.refusal)];
}

function refusalOf({ isRoot, isInContainer, restriction, userNamespacesMax }: MachineFacts, said: string): string {
  const refused = `namespaces are refused (${said})`;
  if (isInContainer) return `${refused} by this container: start it with --privileged, or use a virtual machine`;
  if (isRoot) return `${refused} even to root: use a machine or virtual machine of its own`;
  if (restriction === 'apparmor')
    return `${refused} by AppArmor: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or start as root`;
  if (restriction === 'debian') return `${refused}: sudo sysctl kernel.unprivileged_userns_clone=1, or start as root`;
  if (userNamespacesMax === 0) return `${refused}: sudo sysctl user.max_user_namespaces=15000, or start as root`;
  return `${refused} to this user: start as root`;
}

/** Makes the namespaces once, for nothing. */
export async function observeFacts({ isRoot }: { readonly isRoot: boolean }): Promise<MachineFacts> {
  const { platform } = process;
  const isLinux = platform === 'linux';
  const missingPrograms = isLinux ? Object.keys(packages).filter((name) => !isOnPath(name)) : [];
  const canTry = isLinux && missingPrograms.length === 0;
  const tried = canTry ? await run([...namespaceArgv({ isRoot }), 'mount', '-t', 'tmpfs', 'tmpfs', '/run']) : undefined;
  return {
    ...{ platform, isRoot, missingPrograms },
    refusal: tried === undefined || tried.code === 0 ? undefined : (tried.stderr.trim().split('\n')[0] ?? ''),
    userNamespacesMax: numberIn('/proc/sys/user/max_user_namespaces'),
    restriction:
      numberIn('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === 1
        ? 'apparmor'
        : numberIn('/proc/sys/kernel/unprivileged_userns_clone') === 0
          ? 'debian'
          : undefined,
    isInContainer: isReadable('/.dockerenv') || isReadable('/run/.containerenv'),
  };
}

function isOnPath(name: string): boolean {
  return (hostEnv['PATH'] ?? '').split(':').some((folder) => isReadable(join(folder, name)));
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function numberIn(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8').trim());
  } catch {
    return undefined;
  }
}
