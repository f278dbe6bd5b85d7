import type { KubeObject } from '../../api/meta.ts';
import type { Expired, StoreEvent, StoreListOptions } from '../../store/store.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';

/** What is read where objects have other forms that somebody has to be asked for ({@link Served.conversion}). */
export interface Learnt {
  readonly served: Served;
  readonly prefix: string;
  readonly options: StoreListOptions;
}

interface Waiting {
  readonly signal: AbortSignal;
}

/** Returns the revision to read at: of what is written later nobody knows the form yet. */
export async function learnCollection(
  { store }: ServerContext,
  { served, prefix, options }: Learnt,
  { signal }: Waiting,
): Promise<number | undefined> {
  const found = store.list(prefix, options);
  // Whoever reads there next says so.
  if ('expired' in found) return options.at;
  const objects = found.items.map(({ value }) => value as KubeObject);
  await served.conversion.learn?.(objects, { to: 'shown', signal });
  return found.revision;
}

export interface Place {
  readonly served: Served;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Until nobody has written meanwhile. */
export async function learnObject(
  { store }: ServerContext,
  { served, namespace, name }: Place,
  { signal }: Waiting,
): Promise<void> {
  const key = objectKey(served.prefix, namespace, name);
  for (let stored = store.get(key); stored !== undefined; ) {
    await served.conversion.learn?.([stored.value as KubeObject], { to: 'shown', signal });
    const newest = store.get(key);
    if (newest?.revision === stored.revision) return;
    stored = newest;
  }
}

/** Events whose objects' forms are known when they arrive. */
export function learntEvents(
  source: AsyncIterator<StoreEvent | Expired>,
  learn: (event: StoreEvent) => Promise<void>,
): AsyncIterator<StoreEvent | Expired> {
  return {
    async next() {
      const result = await source.next();
      if (result.done !== true && !('expired' in result.value)) await learn(result.value);
      return result;
    },
    return: async () => (await source.return?.()) ?? { done: true, value: undefined },
  };
}
