import type { Pod } from '../../../api/generated/core-v1.ts';
import { pods } from '../../../api/generated/kinds.ts';
import type { Store } from '../../../store/store.ts';
import type { WriteListener } from '../../context/context.ts';
import { resourcePrefix } from '../../context/keys.ts';

/**
 * Which pods are bound to a node, for those nodes whose agent has asked: simulated nodes never do, and there may be very
 * many of them.
 */
export interface NodePods extends WriteListener {
  of(node: string): Iterable<Pod>;
}

const prefix = resourcePrefix(pods);

export function createNodePods({ store }: { readonly store: Pick<Store, 'get' | 'list'> }): NodePods {
  const keys = new Map<string, Set<string>>();
  const look = (node: string): Set<string> => {
    const found = store.list(prefix);
    const bound = 'expired' in found ? [] : found.items.filter(({ value }) => (value as Pod).spec.nodeName === node);
    const own = new Set(bound.map(({ key }) => key));
    keys.set(node, own);
    return own;
  };
  return {
    *of(node) {
      for (const key of keys.get(node) ?? look(node)) {
        const stored = store.get(key);
        if (stored !== undefined) yield stored.value as Pod;
      }
    },
    // A pod is bound once and never moves.
    put({ key, value }) {
      if (keys.size > 0 && key.startsWith(prefix)) keys.get((value as Pod).spec.nodeName ?? '')?.add(key);
    },
    removed({ key, value }) {
      if (keys.size > 0 && key.startsWith(prefix)) keys.get((value as Pod).spec.nodeName ?? '')?.delete(key);
    },
  };
}
