/**
 * A terminal for a process: `script` of util-linux makes it, passes bytes both ways, and hands on every other descriptor. That is
 * a program which every machine has, instead of a native module which has to be built for each. Terminals are those of the
 * container, in which they have their name: so `script` gets a `/dev` of its own, in a mount namespace that ends with it.
 */
import type { ContainerLaunch } from '../../protocol/launch.ts';
import type { MachineRoot } from '../../sandbox/bubblewrap.ts';
import { quoted } from '../network/pod-shell.ts';
import { run } from '../run.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface InTerminal {
  /** A process of the container that has terminals already; undefined: it is only being made, and takes over `/dev/pts`. */
  readonly of: number | undefined;
  /** Whose it is to be, where that can be said. */
  readonly owner: number | undefined;
}

/** Without root there is one user, whose it is anyway. */
export function ownerOf(
  { user: { uid = 0 } }: Pick<ContainerLaunch, 'user'>,
  { isRoot }: Pick<MachineRoot, 'isRoot'>,
): number | undefined {
  return isRoot && uid !== 0 ? uid : undefined;
}

/** Links lead to where another mount namespace has its terminals, which no mount can do. */
const devOf = (pid: number): readonly string[] => [
  'exec 9<>/dev/null',
  '/usr/bin/mount -t tmpfs -o size=16k,mode=0755 tmpfs /dev',
  ': > /dev/null',
  '/usr/bin/mount --bind /proc/self/fd/9 /dev/null',
  'exec 9>&-',
  `/usr/bin/ln -s /proc/${pid}/root/dev/pts /dev/pts`,
  '/usr/bin/ln -s pts/ptmx /dev/ptmx',
];

const newDev: readonly string[] = [
  '/usr/bin/mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,nosuid,noexec devpts /dev/pts',
  '/usr/bin/mount --bind /dev/pts/ptmx /dev/ptmx',
];

/** The command in a terminal of its own; it is interpreted by a shell, so every word is quoted. */
export function inTerminal(argv: readonly string[], { of, owner }: InTerminal): readonly [string, ...string[]] {
  const owned = owner === undefined ? '' : `/usr/bin/chown ${owner} /proc/self/fd/0; `;
  const line = `${owned}exec ${argv.map(quoted).join(' ')}`;
  const script = ['/usr/bin/script', '--quiet', '--return', '--flush', '--command', quoted(line), '/dev/null'];
  const steps = [...(of === undefined ? newDev : devOf(of)), `exec ${script.join(' ')}`];
  return ['/usr/bin/unshare', '--mount', '--', '/bin/sh', '-c', steps.join(' && ')];
}

/** `pid` is a process in it; what runs there hears of it by SIGWINCH. */
export async function resizeTerminal(pid: number, { columns, rows }: TerminalSize): Promise<void> {
  // Its name means another terminal here, or none.
  await run(['stty', '-F', `/proc/${pid}/fd/0`, 'cols', String(columns), 'rows', String(rows)]);
}
