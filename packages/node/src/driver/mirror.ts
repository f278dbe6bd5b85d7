import type { Pod } from '@signalbox/cluster';

/** On the API's copy of a pod that a node runs by itself: which one that is. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** The pod as the node knows it: the one behind a mirror has a uid of its own, and lives on when its mirror is made again. */
export function asRun(pod: Pod): Pod {
  const uid = pod.metadata.annotations?.[mirrorAnnotation];
  return uid === undefined ? pod : { ...pod, metadata: { ...pod.metadata, uid } };
}
