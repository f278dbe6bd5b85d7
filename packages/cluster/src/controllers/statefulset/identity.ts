import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod, PodSpec, PodTemplateSpec, Volume } from '../../api/generated/core-v1.ts';
import type { New } from '../../api/meta.ts';
import { podFromTemplate } from '../../workloads/template.ts';

export const revisionLabel = 'controller-revision-hash';
const nameLabel = 'statefulset.kubernetes.io/pod-name';
const indexLabel = 'apps.kubernetes.io/pod-index';

/** A template and the name of the revision that keeps it. */
export interface Version {
  readonly name: string;
  readonly template: PodTemplateSpec;
}

export function firstOrdinal({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

export function wantedReplicas({ spec }: StatefulSet): number {
  return spec.replicas ?? 1;
}

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`;
}

/** The ordinal in a pod's name; undefined for a pod that cannot be one of the set's. */
export function ordinalOf({ metadata }: StatefulSet, pod: Pod): number | undefined {
  const { name } = pod.metadata;
  if (!name.startsWith(`${metadata.name}-`)) return undefined;
  const text = name.slice(metadata.name.length + 1);
  return /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : undefined;
}

export function revisionOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[revisionLabel];
}

/** The labels by which Services and people find one certain pod. */
export function identityLabels(set: StatefulSet, ordinal: number): Readonly<Record<string, string>> {
  return { [nameLabel]: podName(set, ordinal), [indexLabel]: String(ordinal) };
}

export function newPod(
  set: StatefulSet,
  { ordinal, version }: { readonly ordinal: number; readonly version: Version },
): New<Pod> {
  const name = podName(set, ordinal);
  const labels = { ...identityLabels(set, ordinal), [revisionLabel]: version.name };
  const { serviceName } = set.spec;
  const { spec: given } = version.template;
  const volumes = withClaims(set, { ordinal, volumes: given?.volumes ?? [] });
  const spec: PodSpec = {
    ...(given ?? { containers: [] }),
    hostname: name,
    ...(serviceName !== undefined && serviceName !== '' && { subdomain: serviceName }),
    ...(volumes.length > 0 && { volumes }),
  };
  return podFromTemplate(version.template, { owner: set, name, labels, spec });
}

/** `<template>-<set>-<ordinal>` */
export function claimName(
  set: StatefulSet,
  { template, ordinal }: { readonly template: PersistentVolumeClaim; readonly ordinal: number },
): string {
  return `${template.metadata.name}-${podName(set, ordinal)}`;
}

export function claimNames(set: StatefulSet, ordinal: number): readonly string[] {
  return (set.spec.volumeClaimTemplates ?? []).map((template) => claimName(set, { template, ordinal }));
}

/** Claims take the place of the template's volumes of the same name. */
function withClaims(
  set: StatefulSet,
  { ordinal, volumes }: { readonly ordinal: number; readonly volumes: readonly Volume[] },
): readonly Volume[] {
  const claims = (set.spec.volumeClaimTemplates ?? []).map(
    (template): Volume => ({
      name: template.metadata.name,
      persistentVolumeClaim: { claimName: claimName(set, { template, ordinal }) },
    }),
  );
  const taken = new Set(claims.map(({ name }) => name));
  return [...claims, ...volumes.filter(({ name }) => !taken.has(name))];
}

export function newClaim(
  set: StatefulSet,
  { template, ordinal }: { readonly template: PersistentVolumeClaim; readonly ordinal: number },
): New<PersistentVolumeClaim> {
  const { namespace } = set.metadata;
  const { labels, annotations } = template.metadata;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(set, { template, ordinal }),
      ...(namespace !== undefined && { namespace }),
      labels: { ...labels, ...set.spec.selector.matchLabels },
      ...(annotations !== undefined && { annotations }),
    },
    spec: template.spec,
  };
}
