import type { KubeObject } from '@signalbox/cluster';

/** On a root: never fewer shards than this, whatever its spec or an autoscaler says. */
export const minShardsAnnotation = 'signalbox.dev/min-shards';

const most = 1_000;

/** Undefined: nobody says; `invalid` is no whole number from 1 to 1,000. */
export function minShardsOf({ metadata }: Pick<KubeObject, 'metadata'>): number | 'invalid' | undefined {
  const text = metadata.annotations?.[minShardsAnnotation];
  if (text === undefined) return undefined;
  const least = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return least >= 1 && least <= most ? least : 'invalid';
}

/** How many shards there are to be when so many are asked for. Nothing given, 0 and less: 1. */
export function shardsAsked(root: Pick<KubeObject, 'metadata'>, shards: number | undefined): number {
  const least = minShardsOf(root);
  return Math.max(1, shards ?? 1, typeof least === 'number' ? least : 1);
}
