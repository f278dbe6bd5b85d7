import { type Client, type Cluster, type KubeObject, StatusError } from '@signalbox/cluster';
import { followed } from './world.ts';

export interface WatchedEvent {
  readonly type: string;
  readonly object: KubeObject;
}

/** What an undisturbed watcher of one resource was told. */
export interface Watched {
  readonly id: string;
  readonly initial: readonly KubeObject[];
  readonly events: readonly WatchedEvent[];
  /** Why it was told no more. */
  readonly failure: string | undefined;
}

export interface Observer {
  readonly watched: readonly Watched[];
  stop(): void;
}

/** Follows every resource that is served now, from a list on. */
export async function observe(cluster: Cluster, client: Client): Promise<Observer> {
  const ending = new AbortController();
  const { signal } = ending;
  const watched: Watched[] = [];
  for (const { definition, id, crd } of followed(cluster)) {
    // Definitions come and go, and their watches with them.
    if (crd !== undefined) continue;
    const { items, metadata } = await client.list<KubeObject>(definition, { signal });
    const events: WatchedEvent[] = [];
    const watching = { id, initial: items, events, failure: undefined as string | undefined };
    watched.push(watching);
    const follow = async (): Promise<void> => {
      let resourceVersion = metadata.resourceVersion ?? '';
      // The server ends each watch after a while.
      while (!signal.aborted) {
        const options = { signal, resourceVersion, allowWatchBookmarks: true };
        for await (const event of client.watch<KubeObject>(definition, options)) {
          if (event.type === 'ERROR') throw new StatusError(event.object);
          resourceVersion = event.object.metadata.resourceVersion;
          if (event.type !== 'BOOKMARK') events.push(event);
        }
      }
    };
    void follow().catch((error: unknown) => {
      if (!signal.aborted) watching.failure = error instanceof Error ? error.message : 'thrown';
    });
  }
  return { watched, stop: () => ending.abort(new Error('seen enough')) };
}
