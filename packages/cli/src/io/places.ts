import { join } from 'node:path';

export const defaultFolder = '.signalbox';
/** Of a node that is started by itself: it goes with no cluster's folder, and outlives the cluster. */
export const defaultNodeFolder = '.signalbox-node';

/** A cluster in memory has a file of its own: one that runs in the same folder keeps its users. */
export function defaultKubeconfig(folder: string | undefined): string {
  return folder === undefined ? join(defaultFolder, 'memory.kubeconfig') : join(folder, 'kubeconfig');
}
