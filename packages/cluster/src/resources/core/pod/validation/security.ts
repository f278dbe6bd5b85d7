import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  Sysctl,
} from '../../../../api/generated/core-v1.ts';
import type { Issue } from '../../../../api/issue.ts';
import { validateDescendingPath } from './mount.ts';
import { inside, type Place } from './place.ts';
import { validateWindows } from './windows.ts';

const idMax = 2_147_483_647;
const idText = `must be between 0 and ${idMax}, inclusive`;
const profileTypes: readonly string[] = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const procMounts: readonly string[] = ['Default', 'Unmasked'];
const groupChangePolicies: readonly string[] = ['Always', 'OnRootMismatch'];
const groupPolicies: readonly string[] = ['Merge', 'Strict'];
/** `MountOption` is behind a gate. */
const linuxChangePolicies: readonly string[] = ['Recursive'];
const sysctlName = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;
const sysctlLengthMax = 253;

export function* validateContainerSecurity(
  context: SecurityContext,
  at: Place,
  { hostUsers }: { readonly hostUsers: boolean },
): Iterable<Issue> {
  const { runAsUser, runAsGroup, procMount, seccompProfile, appArmorProfile, windowsOptions } = context;
  yield* validateId(runAsUser, inside(at, 'runAsUser'));
  yield* validateId(runAsGroup, inside(at, 'runAsGroup'));
  if (procMount !== undefined) {
    if (!procMounts.includes(procMount)) yield at()('procMount').notSupported(procMount, procMounts);
    if (procMount === 'Unmasked' && hostUsers)
      yield at()('procMount').invalid(procMount, '`hostUsers` must be false to use `Unmasked`');
  }
  if (seccompProfile !== undefined) yield* validateSeccomp(seccompProfile, inside(at, 'seccompProfile'));
  if (appArmorProfile !== undefined) yield* validateAppArmor(appArmorProfile, inside(at, 'appArmorProfile'));
  if (windowsOptions !== undefined) yield* validateWindows(windowsOptions, inside(at, 'windowsOptions'));
  if (context.allowPrivilegeEscalation !== false) return;
  if (context.privileged === true)
    yield at().invalid(context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
  if (context.capabilities?.add?.some((name) => name === 'CAP_SYS_ADMIN') === true)
    yield at().invalid(context, 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN');
}

export function* validatePodSecurity(spec: PodSpec, at: Place): Iterable<Issue> {
  if (spec.shareProcessNamespace === true && spec.hostPID === true)
    yield at()('shareProcessNamespace').invalid(true, 'ShareProcessNamespace and HostPID cannot both be enabled');
  const { securityContext } = spec;
  if (securityContext === undefined) return;
  yield* validateIds(securityContext, at);
  const { fsGroupChangePolicy, supplementalGroupsPolicy, seccompProfile, appArmorProfile } = securityContext;
  const { seLinuxChangePolicy } = securityContext;
  if (seLinuxChangePolicy !== undefined && !linuxChangePolicies.includes(seLinuxChangePolicy))
    yield at()('seLinuxChangePolicy').notSupported(seLinuxChangePolicy, linuxChangePolicies);
  if (fsGroupChangePolicy !== undefined && !groupChangePolicies.includes(fsGroupChangePolicy))
    yield at()('fsGroupChangePolicy').notSupported(fsGroupChangePolicy, groupChangePolicies);
  if (supplementalGroupsPolicy !== undefined && !groupPolicies.includes(supplementalGroupsPolicy))
    yield at()('supplementalGroupsPolicy').notSupported(supplementalGroupsPolicy, groupPolicies);
  if (seccompProfile !== undefined) yield* validateSeccomp(seccompProfile, inside(at, 'seccompProfile'));
  if (appArmorProfile !== undefined) yield* validateAppArmor(appArmorProfile, inside(at, 'appArmorProfile'));
  const { windowsOptions } = securityContext;
  if (windowsOptions !== undefined) yield* validateWindows(windowsOptions, inside(at, 'windowsOptions'));
  if (securityContext.sysctls !== undefined) yield* validateSysctls(securityContext.sysctls, inside(at, 'sysctls'));
}

function* validateIds(context: PodSecurityContext, at: Place): Iterable<Issue> {
  yield* validateId(context.fsGroup, inside(at, 'fsGroup'));
  for (const [index, group] of (context.supplementalGroups ?? []).entries())
    yield* validateId(group, inside(at, 'supplementalGroups', index));
  yield* validateId(context.runAsUser, inside(at, 'runAsUser'));
  yield* validateId(context.runAsGroup, inside(at, 'runAsGroup'));
}

/** Users of its own go with no other namespace of the host. The fields are named as upstream names them, which is not where they are. */
export function* validateOwnUsers(spec: PodSpec, at: Place): Iterable<Issue> {
  if (spec.hostUsers !== false) return;
  if (spec.hostNetwork === true) yield at()('hostNetwork').forbidden('when `hostUsers` is false');
  for (const [field, called] of [
    ['hostPID', 'HostPID'],
    ['hostIPC', 'HostIPC'],
  ] as const)
    if (spec[field] === true) yield at()(called).forbidden('when `hostUsers` is false');
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const)
    for (const [index, { volumeDevices = [] }] of (spec[list] ?? []).entries())
      if (volumeDevices.length > 0) yield at()(list, index, 'volumeDevices').forbidden('when `hostUsers` is false');
}

/** Processes of a Windows host: all containers of the pod or none, and on the host's network. */
export function* validateHostProcesses(spec: PodSpec, at: Place): Iterable<Issue> {
  const whole = spec.securityContext?.windowsOptions?.hostProcess;
  let count = 0;
  let onHost = 0;
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const)
    for (const [index, { securityContext }] of (spec[list] ?? []).entries()) {
      const own = securityContext?.windowsOptions?.hostProcess;
      count += 1;
      if (own ?? whole ?? false) onHost += 1;
      if (own !== undefined && whole !== undefined && own !== whole)
        yield at()(list, index, 'securityContext', 'windowsOptions', 'hostProcess').invalid(
          own,
          `pod hostProcess value must be identical if both are specified, was ${whole}`,
        );
    }
  if (onHost === 0) return;
  if (onHost !== count)
    yield at().invalid(
      '',
      'If pod contains any hostProcess containers then all containers must be HostProcess containers',
    );
  if (spec.hostNetwork !== true)
    yield at()('hostNetwork').invalid(false, 'hostNetwork must be true if pod contains any hostProcess containers');
}

function* validateId(id: number | undefined, at: Place): Iterable<Issue> {
  if (id !== undefined && (id < 0 || id > idMax)) yield at().invalid(id, idText);
}

function* validateSeccomp({ type = '', localhostProfile }: Partial<SeccompProfile>, at: Place): Iterable<Issue> {
  if (type === '') {
    yield at()('type').required('type is required when seccompProfile is set');
    return;
  }
  if (!profileTypes.includes(type)) yield at()('type').notSupported(type, profileTypes);
  if (type === 'Localhost') {
    if (localhostProfile === undefined)
      yield at()('localhostProfile').required('must be set when seccomp type is Localhost');
    else yield* validateDescendingPath(localhostProfile, inside(at, 'localhostProfile'));
  } else if (localhostProfile !== undefined)
    yield at()('localhostProfile').invalid(
      { Type: type, LocalhostProfile: localhostProfile },
      'can only be set when seccomp type is Localhost',
    );
}

function* validateAppArmor({ type = '', localhostProfile }: Partial<AppArmorProfile>, at: Place): Iterable<Issue> {
  if (type === '') {
    yield at()('type').required('type is required when appArmorProfile is set');
    return;
  }
  if (!profileTypes.includes(type)) yield at()('type').notSupported(type, profileTypes);
  else if (type !== 'Localhost') {
    if (localhostProfile !== undefined)
      yield at()('localhostProfile').invalid(localhostProfile, 'can only be set when AppArmor type is Localhost');
  } else if ((localhostProfile ?? '').trim() === '')
    yield at()('localhostProfile').required('must be set when AppArmor type is Localhost');
}

function* validateSysctls(sysctls: readonly Sysctl[], at: Place): Iterable<Issue> {
  const names = new Set<string>();
  for (const [index, { name = '' }] of sysctls.entries()) {
    if (name === '') yield at()(index, 'name').required();
    else if (name.length > sysctlLengthMax || !sysctlName.test(name))
      yield at()(index, 'name').invalid(
        name,
        `must have at most ${sysctlLengthMax} characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`,
      );
    else if (names.has(name)) yield at()(index, 'name').duplicate(name);
    names.add(name);
  }
}
