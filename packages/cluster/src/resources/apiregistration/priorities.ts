export interface ApiPriority {
  readonly group: number;
  readonly version: number;
}

/** Where upstream puts the groups that it serves itself; versions where they differ. */
const groupPriorities: Readonly<Record<string, number>> = {
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'apiextensions.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
  'admissionregistration.k8s.io': 16_700,
  'resource.k8s.io': 15_900,
};

const versionPriorities: Readonly<Record<string, number>> = {
  v1: 1,
  'autoscaling/v2': 30,
  'coordination.k8s.io/v1beta1': 12,
};

export const customPriority: ApiPriority = { group: 1_000, version: 100 };

/** Undefined: none of the groups that are built in upstream. */
export function builtinPriority({
  group,
  version,
}: {
  readonly group: string;
  readonly version: string;
}): ApiPriority | undefined {
  const priority = groupPriorities[group];
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return priority === undefined ? undefined : { group: priority, version: versionPriorities[apiVersion] ?? 15 };
}
