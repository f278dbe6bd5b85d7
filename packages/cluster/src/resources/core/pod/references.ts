import type { Container, EphemeralContainer, Pod, Volume } from '../../../api/generated/core-v1.ts';
import { isObject } from '../../../api/record.ts';

/** What a pod names of its namespace. */
export interface PodReferences {
  readonly secrets: ReadonlySet<string>;
  readonly configmaps: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
  readonly serviceAccount: string | undefined;
}

const none: PodReferences = {
  secrets: new Set(),
  configmaps: new Set(),
  claims: new Set(),
  serviceAccount: undefined,
};

/** Set on the image in the API of a pod that its node runs on its own: it gives its node nothing. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

export function isMirrorPod({ metadata }: Pod): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, mirrorAnnotation);
}

/** Everything that whoever runs the pod has to read. Of the same frozen pod it is found once. */
export function podReferences(pod: Pod): PodReferences {
  const known = found.get(pod.spec);
  if (known !== undefined) return known;
  const references = isMirrorPod(pod) ? none : collect(pod);
  if (Object.isFrozen(pod.spec)) found.set(pod.spec, references);
  return references;
}

const found = new WeakMap<object, PodReferences>();

interface Collected {
  readonly secrets: Set<string>;
  readonly configmaps: Set<string>;
  readonly claims: Set<string>;
}

function collect({ metadata, spec }: Pod): PodReferences {
  const into: Collected = { secrets: new Set(), configmaps: new Set(), claims: new Set() };
  for (const { name } of spec.imagePullSecrets ?? []) add(into.secrets, name);
  const containers = [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  for (const container of containers) ofContainer(container, into);
  for (const volume of spec.volumes ?? []) ofVolume(volume, into, metadata.name);
  return { ...into, serviceAccount: spec.serviceAccountName };
}

function ofContainer({ env = [], envFrom = [] }: Container | EphemeralContainer, into: Collected): void {
  for (const { valueFrom } of env) {
    add(into.secrets, valueFrom?.secretKeyRef?.name);
    add(into.configmaps, valueFrom?.configMapKeyRef?.name);
  }
  for (const { secretRef, configMapRef } of envFrom) {
    add(into.secrets, secretRef?.name);
    add(into.configmaps, configMapRef?.name);
  }
}

function ofVolume(volume: Volume, into: Collected, podName: string): void {
  add(into.configmaps, volume.configMap?.name);
  add(into.claims, volume.persistentVolumeClaim?.claimName);
  if (volume.ephemeral !== undefined) add(into.claims, `${podName}-${volume.name}`);
  for (const { secret, configMap } of volume.projected?.sources ?? []) {
    add(into.secrets, secret?.name);
    add(into.configmaps, configMap?.name);
  }
  for (const { name } of sourceSecrets(volume)) add(into.secrets, name);
}

/** The secrets that the sources of volumes name, wherever they do; for a persistent volume possibly of another namespace. */
export function* sourceSecrets(volume: object): Iterable<{ readonly name: string; readonly namespace?: string }> {
  for (const source of Object.values(volume)) {
    if (!isObject(source)) continue;
    for (const [field, value] of Object.entries(source)) {
      const namespace = source['secretNamespace'];
      if (field === 'secretName' && typeof value === 'string')
        yield { name: value, ...(typeof namespace === 'string' && { namespace }) };
      if (!/^(secretRef|node\w*SecretRef)$/.test(field) || !isObject(value)) continue;
      const { name, namespace: within } = value;
      if (typeof name === 'string') yield { name, ...(typeof within === 'string' && { namespace: within }) };
    }
  }
}

function add(set: Set<string>, name: string | undefined): void {
  if (name !== undefined && name !== '') set.add(name);
}
