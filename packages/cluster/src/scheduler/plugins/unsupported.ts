import type { SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';

/**
 * Rules that this scheduler does not know yet. A pod that demands one of them stays pending and is told why: placing it as
 * if the rule did not exist would be worse. Preferences may be left out of account; demands may not.
 */
export const unsupportedDemands: SchedulerPlugin = {
  name: 'UnsupportedDemands',
  wakesOn: [],
  prepare(pod) {
    const demand = unsupportedDemand(pod);
    return demand === undefined
      ? { state: undefined }
      : {
          rejected: `${demand} is not supported by this scheduler; remove it or set spec.schedulerName to one that does`,
        };
  },
};

function unsupportedDemand({ pod: { spec } }: PodView): string | undefined {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  if (isDemanding(podAffinity)) return 'required pod affinity';
  if (isDemanding(podAntiAffinity)) return 'required pod anti-affinity';
  if (spec.topologySpreadConstraints?.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule') === true)
    return 'a topology spread constraint with whenUnsatisfiable: DoNotSchedule';
  if ((spec.resourceClaims?.length ?? 0) > 0) return 'dynamic resource allocation';
  return undefined;
}

function isDemanding(
  affinity: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly unknown[] } | undefined,
): boolean {
  return (affinity?.requiredDuringSchedulingIgnoredDuringExecution?.length ?? 0) > 0;
}
