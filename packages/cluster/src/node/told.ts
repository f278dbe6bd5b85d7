import { pods as podsType } from '../api/generated/kinds.ts';
import { type Key, keyOf } from '../api/meta.ts';
import { podsByNode } from '../client/indexes.ts';
import type { Informers } from '../client/informers.ts';
import type { NodeObserved } from './node-plan.ts';

/** What an agent has told since it began. Before that the API shows what another one saw: its containers may have ended. */
export interface Told {
  /** There is nothing more to be told of it, or it cannot be. */
  pod(key: Key): void;
  /** It has given a sign of life. */
  node(name: string): void;
  lifeOf(name: string): NodeObserved['life'];
}

/** For an agent that begins now; pods and their nodes are synced. */
export function createTold(informers: Informers): Told {
  const untold = new Set([...informers.of(podsType).values()].map(keyOf));
  const alive = new Set<string>();
  return {
    pod: (key) => void untold.delete(key),
    node: (name) => void alive.add(name),
    lifeOf(name) {
      if (alive.has(name)) return 'goes on';
      const hasUntold =
        untold.size > 0 && [...informers.of(podsType).by(podsByNode, name)].some((pod) => untold.has(keyOf(pod)));
      return hasUntold ? 'unknown' : 'begins';
    },
  };
}
