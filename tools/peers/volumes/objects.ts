/** Objects of the stories about volumes. */
import type { KubeObject, New } from '@signalbox/cluster';

type Made = New<KubeObject>;

export const driver = 'disk.example.com';
const at = { namespace: 'default' };

export function csiDriver(name: string, attachRequired: boolean): Made {
  return { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name }, spec: { attachRequired } } as Made;
}

export function volume(name: string, spec: object = {}): Made {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      storageClassName: '',
      csi: { driver, volumeHandle: `h-${name}` },
      ...spec,
    },
  } as Made;
}

export function claim(name: string, spec: object = {}, annotations: Readonly<Record<string, string>> = {}): Made {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, ...at, annotations },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  } as Made;
}

export function pod(name: string, { node, claims, annotations = {}, spec = {} }: PodParts): Made {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...at, annotations },
    spec: {
      nodeName: node,
      containers: [{ name: 'main', image: 'example/app:1' }],
      volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
      ...spec,
    },
  } as Made;
}

export interface PodParts {
  readonly node?: string;
  readonly claims: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

export function storageClass(name: string, more: object = {}): Made {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'somebody.example.com',
    ...more,
  } as Made;
}
