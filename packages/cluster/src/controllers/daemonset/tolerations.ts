import type { PodSpec, Toleration } from '../../api/generated/core-v1.ts';

const tolerate = (condition: string, effect: string): Toleration =>
  Object.freeze({ key: `node.kubernetes.io/${condition}`, operator: 'Exists', effect });

const always: readonly Toleration[] = [
  // A daemon stays on its node through all of the node's troubles …
  tolerate('not-ready', 'NoExecute'),
  tolerate('unreachable', 'NoExecute'),
  // … and starts there in the middle of them.
  tolerate('disk-pressure', 'NoSchedule'),
  tolerate('memory-pressure', 'NoSchedule'),
  tolerate('pid-pressure', 'NoSchedule'),
  tolerate('unschedulable', 'NoSchedule'),
];

/** Who uses the host's network may be what brings up the pods' network. */
const onHostNetwork: readonly Toleration[] = [tolerate('network-unavailable', 'NoSchedule')];

/**
 * The tolerations of a DaemonSet's pods: the template's and the automatic ones, at most seven. An automatic one takes
 * the place of its equal, which also removes a `tolerationSeconds` there.
 */
export function withAutomaticTolerations(spec: PodSpec | undefined): readonly Toleration[] {
  const automatic = spec?.hostNetwork === true ? [...always, ...onHostNetwork] : always;
  const tolerations = [...(spec?.tolerations ?? [])];
  for (const toleration of automatic) {
    const index = tolerations.findIndex((own) => isSame(own, toleration));
    if (index < 0) tolerations.push(toleration);
    else tolerations[index] = toleration;
  }
  return tolerations;
}

function isSame(a: Toleration, b: Toleration): boolean {
  return a.key === b.key && a.operator === b.operator && a.effect === b.effect && (a.value ?? '') === (b.value ?? '');
}
