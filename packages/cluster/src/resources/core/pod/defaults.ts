import type { EphemeralContainer, Pod, PodSpec, PodTemplateSpec } from '../../../api/generated/core-v1.ts';
import { fresh } from '../../../base/fresh.ts';
import {
  canonicalAmounts,
  canonicalResources,
  defaultContainer,
  defaultPodContainer,
  requestsFromLimits,
  sidecarAtMost,
  withoutRestarts,
} from './container-defaults.ts';
import { amend, amendPart, each, fill, withoutOff } from './fill.ts';
import { defaultVolume } from './volume-defaults.ts';

/** Who places pods that name nobody. */
export const defaultSchedulerName = 'default-scheduler';

const specFields = Object.freeze({
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: Object.freeze({}),
  schedulerName: defaultSchedulerName,
});
const hostSwitches = ['hostNetwork', 'hostPID', 'hostIPC'] as const;
const podFields = Object.freeze({ enableServiceLinks: true });
const pendingStatus = Object.freeze({ phase: 'Pending' });

/**
 * Fills in what Kubernetes 1.34 fills in for a pod. Returns the same object when nothing is missing. (The service account
 * and the default tolerations are admission's.)
 */
export function defaultPod(pod: Pod): Pod {
  const next = amendPart(pod, 'spec', (spec) => defaultForPodAlone(defaultPodSpec(spec)));
  const status = fill(next.status ?? {}, pendingStatus);
  return status === next.status ? next : { ...fresh, ...next, status };
}

/** Fills in what Kubernetes 1.34 fills in for templates. Pods made from them get the rest when they are created. */
export function defaultPodTemplate(template: PodTemplateSpec): PodTemplateSpec {
  return amendPart(template, 'spec', defaultPodSpec);
}

/** What pods and templates have in common. */
export function defaultPodSpec(given: PodSpec): PodSpec {
  let spec = fill<PodSpec>(onNoNode(withoutOff(given, hostSwitches)), specFields);
  spec = withServiceAccountAlias(spec);
  spec = amend(spec, 'containers', (containers) => each(containers, (one) => defaultContainer(withoutRestarts(one))));
  spec = amend(spec, 'initContainers', (containers) => each(containers, (one) => defaultContainer(sidecarAtMost(one))));
  spec = amend(spec, 'ephemeralContainers', (containers) =>
    each(containers, (one: EphemeralContainer) => defaultContainer(withoutRestarts(one))),
  );
  spec = amend(spec, 'volumes', (volumes) => each(volumes, defaultVolume));
  spec = amend(spec, 'overhead', canonicalAmounts);
  return amend(spec, 'resources', canonicalResources);
}

function defaultForPodAlone(given: PodSpec): PodSpec {
  const hostNetwork = given.hostNetwork === true;
  const defaulted = (containers: NonNullable<PodSpec['containers']>): NonNullable<PodSpec['containers']> =>
    each(containers, (container) => defaultPodContainer(container, { hostNetwork }));
  let spec = fill<PodSpec>(given, podFields);
  spec = amend(spec, 'containers', defaulted);
  spec = amend(spec, 'initContainers', defaulted);
  return amend(spec, 'resources', requestsFromLimits);
}

/** A pod that has no node says nothing of one. */
function onNoNode(spec: PodSpec): PodSpec {
  if (spec.nodeName !== '') return spec;
  const { nodeName: _none, ...others } = spec;
  return { ...fresh, ...others };
}

/** `serviceAccount` is the old name of `serviceAccountName`; the API shows both. */
function withServiceAccountAlias(spec: PodSpec): PodSpec {
  const { serviceAccountName = '', serviceAccount = '' } = spec;
  const name = serviceAccountName === '' ? serviceAccount : serviceAccountName;
  if (serviceAccountName === name && serviceAccount === name) return spec;
  return { ...fresh, ...spec, serviceAccountName: name, serviceAccount: name };
}
