import type { Pod } from '../api/generated/core-v1.ts';
import type { Index } from './cache.ts';

// Shared by all who ask, so that the cache of a process keeps one such index and not one for each.

/** Files pods under the node that they are bound to. */
export const podsByNode: Index<Pod> = {
  name: 'spec.nodeName',
  valuesOf: ({ spec: { nodeName = '' } }) => (nodeName === '' ? [] : [nodeName]),
};
