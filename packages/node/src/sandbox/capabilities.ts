/** What root may do in a container: names of capabilities without `CAP_`. */
import type { ContainerLaunch } from '../protocol/launch.ts';

/** As container runtimes have it. */
export const defaultCapabilities: readonly string[] = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'NET_RAW',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];

/** All that bubblewrap and setpriv of Debian 12 know. */
export const allCapabilities: readonly string[] = [
  ...defaultCapabilities,
  'AUDIT_CONTROL',
  'AUDIT_READ',
  'BLOCK_SUSPEND',
  'BPF',
  'CHECKPOINT_RESTORE',
  'DAC_READ_SEARCH',
  'IPC_LOCK',
  'IPC_OWNER',
  'LEASE',
  'LINUX_IMMUTABLE',
  'MAC_ADMIN',
  'MAC_OVERRIDE',
  'NET_ADMIN',
  'NET_BROADCAST',
  'PERFMON',
  'SYSLOG',
  'SYS_ADMIN',
  'SYS_BOOT',
  'SYS_MODULE',
  'SYS_NICE',
  'SYS_PACCT',
  'SYS_PTRACE',
  'SYS_RAWIO',
  'SYS_RESOURCE',
  'SYS_TIME',
  'SYS_TTY_CONFIG',
  'WAKE_ALARM',
];

type Asked = Pick<ContainerLaunch, 'capabilities' | 'isPrivileged' | 'user'>;

/** Whoever is not root has none: without new privileges there is no way to get them. */
export function capabilitiesOf({ capabilities, isPrivileged, user }: Asked): readonly string[] {
  if ((user.uid ?? 0) !== 0) return [];
  if (isPrivileged) return allCapabilities;
  const { add, drop } = { add: capabilities.add.map(bare), drop: capabilities.drop.map(bare) };
  const base = drop.includes('ALL') ? [] : add.includes('ALL') ? allCapabilities : defaultCapabilities;
  const wanted = new Set([...base.filter((name) => !drop.includes(name)), ...add.filter((name) => name !== 'ALL')]);
  return [...wanted].sort();
}

/** Those of a launch that no kernel knows. */
export function unknownCapabilities({ capabilities: { add, drop } }: Pick<Asked, 'capabilities'>): readonly string[] {
  return [...add, ...drop].filter((name) => bare(name) !== 'ALL' && !allCapabilities.includes(bare(name)));
}

function bare(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, '');
}
