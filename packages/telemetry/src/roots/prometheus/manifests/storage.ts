import type { New, PersistentVolumeClaim, Volume, VolumeMount } from '@signalbox/cluster';
import { given } from '../../../scrape/given.ts';
import type { PrometheusRoot } from '../config/document.ts';
import { dataFolder } from './arguments.ts';
import { baseName } from './flavour.ts';

export interface Storage {
  readonly volumes: readonly Volume[];
  readonly mount: VolumeMount;
  readonly claims: readonly New<PersistentVolumeClaim>[];
}

/** Where the samples lie: inside the pod unless the root asks for a claim per pod. */
export function storageOf(root: PrometheusRoot): Storage {
  const { storage } = root.spec;
  const template = storage?.volumeClaimTemplate;
  const name = template?.metadata?.name || `${baseName(root)}-db`;
  const subPath = storage === undefined || storage.disableMountSubPath === true ? {} : { subPath: 'prometheus-db' };
  const mount = { name, mountPath: dataFolder, ...subPath };
  if (storage?.emptyDir !== undefined) return { volumes: [{ name, emptyDir: storage.emptyDir }], mount, claims: [] };
  if (storage?.ephemeral !== undefined) return { volumes: [{ name, ephemeral: storage.ephemeral }], mount, claims: [] };
  if (template === undefined) return { volumes: [{ name, emptyDir: {} }], mount, claims: [] };
  const modes = template.spec?.accessModes ?? [];
  const claim: New<PersistentVolumeClaim> = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, ...given({ labels: template.metadata?.labels, annotations: template.metadata?.annotations }) },
    spec: { ...template.spec, accessModes: modes.length > 0 ? modes : ['ReadWriteOnce'] },
  };
  return { volumes: [], mount, claims: [claim] };
}
