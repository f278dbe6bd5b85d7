import { join } from 'node:path';

export const defaultFolder = '.signalbox';

/** A cluster in memory has a file of its own: one that runs in the same folder keeps its users. */
export function defaultKubeconfig(folder: string | undefined): string {
  return folder === undefined ? join(defaultFolder, 'memory.kubeconfig') : join(folder, 'kubeconfig');
}
