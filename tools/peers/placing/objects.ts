/** Small objects for stories about where pods go. */
import type { PodSpec } from '../../../packages/cluster/src/api/generated/core-v1.ts';
import {
  persistentvolumeclaims,
  persistentvolumes,
  priorityclasses,
} from '../../../packages/cluster/src/api/generated/kinds.ts';
import type { NodeParts } from '../../../packages/cluster/src/testing/makers.ts';
import type { Side } from './sides.ts';

export const at = (name: string): { readonly name: string; readonly namespace: string } => ({
  name,
  namespace: 'default',
});

export const zoneKey = 'topology.kubernetes.io/zone';
export const inZone = (zone: string): NodeParts => ({ labels: { [zoneKey]: zone } });
export const on = (name: string): Partial<PodSpec> => ({ nodeSelector: { 'kubernetes.io/hostname': name } });
export const gates = (...names: readonly string[]): Partial<PodSpec> => ({
  schedulingGates: names.map((name) => ({ name })),
});

/** Even numbers of `app=x` over zones. */
export const evenly = (more: object = {}): Partial<PodSpec> => ({
  topologySpreadConstraints: [
    {
      ...{ maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule' },
      ...{ labelSelector: { matchLabels: { app: 'x' } }, ...more },
    },
  ],
});

export const apart = (labels: Readonly<Record<string, string>>, more: object = {}): Partial<PodSpec> => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(labels, more)] } },
});

export const near = (labels: Readonly<Record<string, string>>, more: object = {}): Partial<PodSpec> => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(labels, more)] } },
});

const term = (matchLabels: Readonly<Record<string, string>>, more: object) => ({
  topologyKey: 'kubernetes.io/hostname',
  labelSelector: { matchLabels },
  ...more,
});

/** On nodes whose labels or fields are so. */
export const needs = (where: object): Partial<PodSpec> => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [where] } } },
});

export const high: Partial<PodSpec> = { priorityClassName: 'high' };
export const middle: Partial<PodSpec> = { priorityClassName: 'middle' };

export async function createPriorities(side: Side): Promise<void> {
  for (const [name, value, preemptionPolicy] of [
    ['high', 1_000, 'PreemptLowerPriority'],
    ['middle', 100, 'PreemptLowerPriority'],
    ['polite', 5_000, 'Never'],
  ] as const)
    await side.create(priorityclasses, {
      ...{ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name } },
      ...{ value, preemptionPolicy },
    });
}

export const mounts = (...names: readonly string[]): Partial<PodSpec> => ({
  volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
});

/** Its claims wait for their first pod. */
export const waitingClass = (name: string, provisioner = 'kubernetes.io/no-provisioner'): object => ({
  ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name } },
  ...{ provisioner, volumeBindingMode: 'WaitForFirstConsumer' },
});

export const claim = (name: string, more: object = {}): object => ({
  ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: at(name) },
  spec: {
    ...{ accessModes: ['ReadWriteOnce'], storageClassName: 'local', resources: { requests: { storage: '1Gi' } } },
    ...more,
  },
});

export const volume = (name: string, more: object = {}): object => ({
  ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name } },
  spec: {
    ...{ accessModes: ['ReadWriteOnce'], storageClassName: 'local', capacity: { storage: '1Gi' } },
    ...('csi' in more || 'awsElasticBlockStore' in more ? {} : { hostPath: { path: '/data' } }),
    ...more,
  },
});

/** A claim and a volume of the same name that belong together already. */
export async function bound(
  side: Side,
  name: string,
  { ofClaim = {}, ofVolume = {} }: { readonly ofClaim?: object; readonly ofVolume?: object } = {},
): Promise<void> {
  const wanted = claim(name, { volumeName: name, ...ofClaim });
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
  const made = await side.create(persistentvolumeclaims, { ...wanted, metadata: { ...at(name), annotations } });
  const claimRef = { ...at(name), uid: made.metadata.uid, kind: 'PersistentVolumeClaim', apiVersion: 'v1' };
  await side.create(persistentvolumes, volume(name, { claimRef, ...ofVolume }));
  await side.change(persistentvolumeclaims, name, { status: { phase: 'Bound' } });
}
