import type { Probe, SELinuxOptions } from '../../../../api/generated/core-v1.ts';
import {
  type AnyContainer,
  allContainers,
  type Check,
  type Judged,
  named,
  plural,
  quoted,
  settingOf,
  sorted,
} from './check.ts';

const capabilities: ReadonlySet<string> = new Set([
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE', 'SETFCAP'],
  ...['SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]);
const seccompTypes = ['Localhost', 'RuntimeDefault'];
const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';

/** What by now everybody knows to lead out of a container. */
export const baseline: readonly Check[] = [
  { id: 'appArmorProfile', violation: appArmor },
  {
    id: 'capabilities_baseline',
    overriddenBy: 'capabilities_restricted',
    violation(pod) {
      const extra = (container: AnyContainer): readonly string[] =>
        (container.securityContext?.capabilities?.add ?? []).filter((each) => !capabilities.has(each));
      const bad = allContainers(pod).filter((container) => extra(container).length > 0);
      if (bad.length === 0) return undefined;
      const detail = `${named(bad)} must not include ${quoted(sorted(bad.flatMap(extra)))} in securityContext.capabilities.add`;
      return { reason: 'non-default capabilities', detail };
    },
  },
  {
    id: 'hostNamespaces',
    violation({ spec }) {
      const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true);
      if (shared.length === 0) return undefined;
      return { reason: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') };
    },
  },
  {
    id: 'hostPathVolumes',
    overriddenBy: 'restrictedVolumes',
    violation({ spec }) {
      const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
      if (names.length === 0) return undefined;
      return { reason: 'hostPath volumes', detail: `${plural(names.length, 'volume')} ${quoted(names)}` };
    },
  },
  {
    id: 'hostPorts',
    violation(pod) {
      const ports = (container: AnyContainer): readonly string[] =>
        (container.ports ?? []).flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]));
      return uses(pod, { reason: 'hostPort', what: 'hostPort', of: ports, show: (all) => all.join(', ') });
    },
  },
  {
    id: 'hostProbesAndHostLifecycle',
    sinceMinor: 34,
    violation(pod) {
      const what = 'probe or lifecycle host';
      return uses(pod, { reason: what, what, of: hostsOf, show: quoted, sortsNames: true });
    },
  },
  {
    id: 'privileged',
    violation(pod) {
      const bad = allContainers(pod).filter(({ securityContext }) => securityContext?.privileged === true);
      if (bad.length === 0) return undefined;
      return { reason: 'privileged', detail: `${named(bad)} must not set securityContext.privileged=true` };
    },
  },
  {
    id: 'procMount',
    violation(pod) {
      const typeOf = ({ securityContext }: AnyContainer): string => securityContext?.procMount ?? 'Default';
      const bad = allContainers(pod).filter((container) => typeOf(container) !== 'Default');
      if (bad.length === 0) return undefined;
      const detail = `${named(bad)} must not set securityContext.procMount to ${quoted(sorted(bad.map(typeOf)))}`;
      return { reason: 'procMount', detail };
    },
  },
  { id: 'seLinuxOptions', violation: seLinux },
  {
    id: 'seccompProfile_baseline',
    overriddenBy: 'seccompProfile_restricted',
    sinceMinor: 19,
    violation(pod) {
      const { setters, values } = settingOf(
        pod,
        ({ seccompProfile }) => seccompProfile?.type,
        (type) => seccompTypes.includes(type),
      );
      if (setters.length === 0) return undefined;
      const detail = `${setters.join(' and ')} must not set securityContext.seccompProfile.type to ${quoted(sorted(values))}`;
      return { reason: 'seccompProfile', detail };
    },
  },
  {
    id: 'sysctls',
    violation({ spec }, minor) {
      const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name);
      const bad = names.filter((name) => !isAllowedSysctl(name, minor));
      return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
    },
  },
  {
    id: 'windowsHostProcess',
    violation(pod) {
      const { setters } = settingOf(
        pod,
        ({ windowsOptions }) => windowsOptions?.hostProcess,
        (isHost) => !isHost,
      );
      if (setters.length === 0) return undefined;
      const detail = `${setters.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`;
      return { reason: 'hostProcess', detail };
    },
  },
];

/** The minor version from which on a pod may set it. */
const sysctlSince: Readonly<Record<string, number>> = {
  'kernel.shm_rmid_forced': 0,
  'net.ipv4.ip_local_port_range': 0,
  'net.ipv4.tcp_syncookies': 0,
  'net.ipv4.ping_group_range': 0,
  'net.ipv4.ip_unprivileged_port_start': 0,
  'net.ipv4.ip_local_reserved_ports': 27,
  'net.ipv4.tcp_keepalive_time': 29,
  'net.ipv4.tcp_fin_timeout': 29,
  'net.ipv4.tcp_keepalive_intvl': 29,
  'net.ipv4.tcp_keepalive_probes': 29,
  'net.ipv4.tcp_rmem': 32,
  'net.ipv4.tcp_wmem': 32,
};

function isAllowedSysctl(name: string, minor: number): boolean {
  const since = sysctlSince[name];
  return since !== undefined && since <= minor;
}

interface Using {
  readonly reason: string;
  readonly what: string;
  of(container: AnyContainer): readonly string[];
  show(all: readonly string[]): string;
  readonly sortsNames?: boolean;
}

function uses(pod: Judged, { reason, what, of, show, sortsNames = false }: Using): ReturnType<Check['violation']> {
  const found = allContainers(pod).filter((container) => of(container).length > 0);
  if (found.length === 0) return undefined;
  const bad = sortsNames ? found.sort((a, b) => (a.name < b.name ? -1 : 1)) : found;
  const all = sorted(bad.flatMap(of));
  return {
    reason,
    detail: `${named(bad)} ${plural(bad.length, 'uses', 'use')} ${plural(all.length, what)} ${show(all)}`,
  };
}

function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: AnyContainer): readonly string[] {
  const asked: readonly (Pick<Probe, 'httpGet' | 'tcpSocket'> | undefined)[] = [
    ...[livenessProbe, readinessProbe, startupProbe],
    ...[lifecycle?.postStart, lifecycle?.preStop],
  ];
  const hosts = asked.flatMap((each) => [each?.httpGet?.host ?? '', each?.tcpSocket?.host ?? '']);
  return hosts.filter((host) => host !== '');
}

function appArmor(pod: Judged): ReturnType<Check['violation']> {
  const { setters, values } = settingOf(
    pod,
    ({ appArmorProfile }) => appArmorProfile?.type,
    (type) => type === 'RuntimeDefault' || type === 'Localhost',
  );
  const annotations = Object.entries(pod.metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isKnownProfile(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const all = [...sorted(values), ...annotations];
  if (all.length === 0) return undefined;
  const who = [...setters, ...(annotations.length > 0 ? [plural(annotations.length, 'annotation')] : [])];
  return {
    reason: plural(all.length, 'forbidden AppArmor profile'),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quoted(all)}`,
  };
}

function isKnownProfile(value: string): boolean {
  return value === '' || value === 'runtime/default' || value.startsWith('localhost/');
}

function seLinux(pod: Judged, minor: number): ReturnType<Check['violation']> {
  const types = [
    '',
    'container_t',
    'container_init_t',
    'container_kvm_t',
    ...(minor >= 31 ? ['container_engine_t'] : []),
  ];
  const hasText = (text: string | undefined): boolean => (text ?? '') !== '';
  const isAllowed = ({ type = '', user, role }: SELinuxOptions): boolean =>
    types.includes(type) && !hasText(user) && !hasText(role);
  const { setters, values } = settingOf(pod, ({ seLinuxOptions }) => seLinuxOptions, isAllowed);
  if (setters.length === 0) return undefined;
  const bad = sorted(values.map(({ type = '' }) => type).filter((type) => !types.includes(type)));
  const faults = [
    ...(bad.length > 0 ? [`${plural(bad.length, 'type')} ${quoted(bad)}`] : []),
    ...(values.some(({ user }) => hasText(user)) ? ['user may not be set'] : []),
    ...(values.some(({ role }) => hasText(role)) ? ['role may not be set'] : []),
  ];
  return {
    reason: 'seLinuxOptions',
    detail: `${setters.join(' and ')} set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}`,
  };
}
