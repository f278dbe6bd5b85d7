import type { Pod } from '../api/generated/core-v1.ts';
import type { VolumeAttachment } from '../api/generated/storage-v1.ts';
import type { Index } from './cache.ts';

// Shared by all who ask, so that the cache of a process keeps one such index and not one for each.

/** Files pods under the node that they are bound to. */
export const podsByNode: Index<Pod> = {
  name: 'spec.nodeName',
  valuesOf: ({ spec: { nodeName = '' } }) => (nodeName === '' ? [] : [nodeName]),
};

/** Files what is attached to a node under its name. */
export const attachmentsByNode: Index<VolumeAttachment> = {
  name: 'spec.nodeName',
  valuesOf: ({ spec }) => [spec.nodeName],
};

/** Files what of a volume is attached under the volume's name. */
export const attachmentsByVolume: Index<VolumeAttachment> = {
  name: 'spec.source.persistentVolumeName',
  valuesOf: ({ spec: { source } }) => (source.persistentVolumeName === undefined ? [] : [source.persistentVolumeName]),
};
