import type {
  DownwardAPIVolumeFile,
  EphemeralVolumeSource,
  ProjectedVolumeSource,
  Volume,
  VolumeProjection,
} from '../../../api/generated/core-v1.ts';
import { canonicalQuantity } from '../../../api/quantity.ts';
import { fresh } from '../../../base/fresh.ts';
import { defaultFieldSelector, defaultResourceSelector, pullPolicyOf } from './container-defaults.ts';
import { amend, each, fill } from './fill.ts';

const fileModeFields = Object.freeze({ defaultMode: 0o644 });
const hostPathFields = Object.freeze({ type: '' });
const tokenFields = Object.freeze({ expirationSeconds: 3600 });
const diskFields = Object.freeze({ cachingMode: 'ReadWrite', fsType: 'ext4', kind: 'Shared', readOnly: false });
const iscsiFields = Object.freeze({ iscsiInterface: 'default' });
const rbdFields = Object.freeze({ pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' });
const scaleIoFields = Object.freeze({ storageMode: 'ThinProvisioned', fsType: 'xfs' });
const claimFields = Object.freeze({ volumeMode: 'Filesystem' });
const emptySource = Object.freeze({});

/** A volume without any source is an empty folder. Every kind of source has its own defaults. */
export function defaultVolume(volume: Volume): Volume {
  let source: string | undefined;
  for (const name in volume)
    if (name !== 'name' && volume[name as keyof Volume] !== undefined) {
      source = name;
      break;
    }
  const change = source === undefined ? undefined : bySource[source as keyof Volume];
  if (source === undefined) return { ...fresh, ...volume, emptyDir: emptySource };
  return change === undefined ? volume : change(volume);
}

const shared = ['hostPath', 'azureDisk', 'iscsi', 'rbd', 'scaleIO'] as const;

/** The same for a PersistentVolume, whose source stands among other fields, as a pod names it. */
export function defaultSharedSource<T extends { readonly [name in (typeof shared)[number]]?: unknown }>(spec: T): T {
  const source = shared.find((name) => spec[name] !== undefined);
  const change = source === undefined ? undefined : bySource[source];
  // What they have in common is named alike.
  return change === undefined ? spec : (change(spec as unknown as Volume) as unknown as T);
}

const bySource: Readonly<Partial<Record<keyof Volume, (volume: Volume) => Volume>>> = {
  secret: (volume) => amend(volume, 'secret', (source) => fillMode(source)),
  configMap: (volume) => amend(volume, 'configMap', (source) => fillMode(source)),
  downwardAPI: (volume) =>
    amend(volume, 'downwardAPI', (source) =>
      amend(fillMode(source), 'items', (items) => each(items, defaultDownwardFile)),
    ),
  projected: (volume) => amend(volume, 'projected', defaultProjected),
  hostPath: (volume) =>
    amend(volume, 'hostPath', (source) => (source.type === undefined ? fill(source, hostPathFields) : source)),
  ephemeral: (volume) => amend(volume, 'ephemeral', defaultEphemeral),
  image: (volume) =>
    amend(volume, 'image', (source) => fill(source, { pullPolicy: pullPolicyOf(source.reference ?? '') })),
  emptyDir: (volume) =>
    amend(volume, 'emptyDir', (source) =>
      amend(source, 'sizeLimit', (sizeLimit) => canonicalQuantity(sizeLimit) ?? sizeLimit),
    ),
  azureDisk: (volume) => amend(volume, 'azureDisk', (source) => fill(source, diskFields)),
  iscsi: (volume) => amend(volume, 'iscsi', (source) => fill(source, iscsiFields)),
  rbd: (volume) => amend(volume, 'rbd', (source) => fill(source, rbdFields)),
  scaleIO: (volume) => amend(volume, 'scaleIO', (source) => fill(source, scaleIoFields)),
};

function fillMode<T extends { readonly defaultMode?: number }>(source: T): T {
  return fill<T>(source, fileModeFields as Partial<T>);
}

function defaultProjected(source: ProjectedVolumeSource): ProjectedVolumeSource {
  return amend(fillMode(source), 'sources', (sources) => each(sources, defaultProjection));
}

function defaultProjection(projection: VolumeProjection): VolumeProjection {
  const next = amend(projection, 'serviceAccountToken', (token) => fill(token, tokenFields));
  return amend(next, 'downwardAPI', (downward) =>
    amend(downward, 'items', (items) => each(items, defaultDownwardFile)),
  );
}

function defaultDownwardFile(file: DownwardAPIVolumeFile): DownwardAPIVolumeFile {
  return amend(amend(file, 'fieldRef', defaultFieldSelector), 'resourceFieldRef', defaultResourceSelector);
}

function defaultEphemeral(source: EphemeralVolumeSource): EphemeralVolumeSource {
  return amend(source, 'volumeClaimTemplate', (template) => amend(template, 'spec', (spec) => fill(spec, claimFields)));
}
