import {
  allContainers,
  type Check,
  isWindows,
  type Judged,
  named,
  plural,
  quoted,
  settingOf,
  sorted,
} from './check.ts';

const volumeTypes: ReadonlySet<string> = new Set([
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim', 'projected'],
  'secret',
]);
/** From this version on a pod may say that it is one of Windows, which has none of this. */
const windowsMinor = 25;

/** What a pod has to renounce besides, to be trusted with nothing. */
export const restricted: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    sinceMinor: 8,
    violation(pod, minor) {
      if (isExempt(pod, minor)) return undefined;
      const bad = allContainers(pod).filter((each) => each.securityContext?.allowPrivilegeEscalation !== false);
      if (bad.length === 0) return undefined;
      const detail = `${named(bad)} must set securityContext.allowPrivilegeEscalation=false`;
      return { reason: 'allowPrivilegeEscalation != false', detail };
    },
  },
  { id: 'capabilities_restricted', sinceMinor: 22, violation: capabilities },
  {
    id: 'restrictedVolumes',
    violation({ spec }) {
      const typeOf = (volume: object): string => Object.keys(volume).find((key) => key !== 'name') ?? 'unknown';
      const bad = (spec.volumes ?? []).filter((volume) => !volumeTypes.has(typeOf(volume)));
      if (bad.length === 0) return undefined;
      const types = sorted(bad.map(typeOf));
      const names = quoted(bad.map(({ name }) => name));
      return {
        reason: 'restricted volume types',
        detail: `${plural(bad.length, 'volume')} ${names} ${plural(bad.length, 'uses', 'use')} ${plural(types.length, 'restricted volume type')} ${quoted(types)}`,
      };
    },
  },
  {
    id: 'runAsNonRoot',
    violation(pod) {
      const { setters, silent } = settingOf(
        pod,
        ({ runAsNonRoot }) => runAsNonRoot,
        (isNonRoot) => isNonRoot,
      );
      const reason = 'runAsNonRoot != true';
      if (setters.length > 0)
        return { reason, detail: `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false` };
      if (silent.length === 0) return undefined;
      return { reason, detail: `pod or ${named(silent)} must set securityContext.runAsNonRoot=true` };
    },
  },
  {
    id: 'runAsUser',
    sinceMinor: 23,
    violation(pod) {
      const { setters } = settingOf(
        pod,
        ({ runAsUser }) => runAsUser,
        (user) => user !== 0,
      );
      if (setters.length === 0) return undefined;
      return { reason: 'runAsUser=0', detail: `${setters.join(' and ')} must not set runAsUser=0` };
    },
  },
  {
    id: 'seccompProfile_restricted',
    sinceMinor: 19,
    violation(pod, minor) {
      if (isExempt(pod, minor)) return undefined;
      const { setters, values, silent } = settingOf(
        pod,
        ({ seccompProfile }) => seccompProfile?.type,
        (type) => type === 'RuntimeDefault' || type === 'Localhost',
      );
      const reason = 'seccompProfile';
      const field = 'securityContext.seccompProfile.type';
      if (setters.length > 0)
        return { reason, detail: `${setters.join(' and ')} must not set ${field} to ${quoted(sorted(values))}` };
      if (silent.length === 0) return undefined;
      return { reason, detail: `pod or ${named(silent)} must set ${field} to "RuntimeDefault" or "Localhost"` };
    },
  },
];

function isExempt(pod: Judged, minor: number): boolean {
  return minor >= windowsMinor && isWindows(pod);
}

function capabilities(pod: Judged, minor: number): ReturnType<Check['violation']> {
  if (isExempt(pod, minor)) return undefined;
  const containers = allContainers(pod);
  const keeping = containers.filter(
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') !== true,
  );
  const extra = ({ securityContext }: (typeof containers)[number]): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((each) => each !== 'NET_BIND_SERVICE');
  const adding = containers.filter((container) => extra(container).length > 0);
  const details = [
    ...(keeping.length > 0 ? [`${named(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [
          `${named(adding)} must not include ${quoted(sorted(adding.flatMap(extra)))} in securityContext.capabilities.add`,
        ]
      : []),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
}
