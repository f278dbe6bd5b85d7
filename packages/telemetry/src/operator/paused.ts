import type { KubeObject } from '@signalbox/cluster';

/** Every kind of root asks with the same field to be left alone. */
export function isPaused(root: KubeObject): boolean {
  return (root as { readonly spec?: { readonly paused?: boolean } }).spec?.paused === true;
}
