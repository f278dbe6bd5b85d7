import type { Pod } from '@signalbox/cluster';
import type { InsideEvent } from '../protocol/inside.ts';

/** What a pod is failed with whose folder on disk has become too large. */
export interface Eviction {
  readonly reason: 'Evicted';
  readonly message: string;
}

/** In the words of a kubelet. */
export function evictionOf(
  { spec }: Pod,
  { volume, limitBytes }: Pick<Extract<InsideEvent, { readonly is: 'overfull' }>, 'volume' | 'limitBytes'>,
): Eviction {
  if (limitBytes === undefined)
    return { reason: 'Evicted', message: 'The node was low on resource: ephemeral-storage. ' };
  const limit = spec.volumes?.find(({ name }) => name === volume)?.emptyDir?.sizeLimit ?? String(limitBytes);
  return { reason: 'Evicted', message: `Usage of EmptyDir volume "${volume}" exceeds the limit "${limit}". ` };
}
