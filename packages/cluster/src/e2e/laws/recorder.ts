import type { WatchEvent, WatchOperation } from '../../api/operation.ts';
import { type Change, revisionOf, type View } from './history.ts';
import { type Asking, bookmarkMs, type Subject } from './subject.ts';
import { selectorsOf } from './views.ts';

/** One watch, written down as it comes. */
export interface Recorder {
  readonly events: readonly WatchEvent[];
  /** Where the reader would resume: the last version that it was shown. */
  readonly version: string | undefined;
  /** Whether the watch has ended by itself. */
  readonly ended: boolean;
  /** Fails when the watch failed in another way than by an ERROR event. */
  stop(): Promise<void>;
}

export function record(
  ask: Asking,
  options: WatchOperation['options'],
  { namespace, takeMax = Infinity }: { readonly namespace?: string | undefined; readonly takeMax?: number } = {},
): Recorder {
  const stopping = new AbortController();
  const events: WatchEvent[] = [];
  let version = options.resourceVersion;
  let ended = false;
  const reading = (async (): Promise<void> => {
    try {
      for await (const event of ask.watch(options, { namespace, signal: stopping.signal })) {
        events.push(event);
        if (event.type !== 'ERROR') version = event.object.metadata.resourceVersion;
        if (events.length >= takeMax) break;
      }
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    } finally {
      ended = true;
    }
  })();
  // Whoever stops it hears of the failure.
  reading.catch(() => undefined);
  return {
    events,
    get version() {
      return version;
    },
    get ended() {
      return ended;
    },
    async stop() {
      stopping.abort();
      await reading;
    },
  };
}

/** Watches a view from a version on, with bookmarks. */
export function follow(
  ask: Asking,
  view: View,
  { from, takeMax }: { readonly from: string | undefined; readonly takeMax?: number },
): Recorder {
  const options = {
    ...selectorsOf(view),
    ...(from !== undefined && { resourceVersion: from }),
    allowWatchBookmarks: true,
  };
  return record(ask, options, { namespace: view.namespace, ...(takeMax !== undefined && { takeMax }) });
}

/** Lets bookmarks come until every watch has shown that it is complete up to a revision, or has ended. */
export async function complete(subject: Subject, recorders: readonly Recorder[], revision: number): Promise<void> {
  const isBehind = ({ events, ended }: Recorder): boolean =>
    !ended && !events.some((event) => reaches(event, revision));
  for (let round = 0; recorders.some(isBehind); round++) {
    if (round === 200) throw new Error('a watch stays behind although bookmarks are due');
    await subject.pass(bookmarkMs);
  }
}

function reaches(event: WatchEvent, revision: number): boolean {
  return event.type !== 'ERROR' && revisionOf(event as Change) >= revision;
}
