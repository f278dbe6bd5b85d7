/** Watches are begun, things happen, and what was told of them is what is compared. */
import { type JsonObject, type Random, sleep, systemClock } from '@signalbox/cluster';
import type { Requests } from '../plane/requests.ts';
import { type Said, saidBy, sentBy } from './answers.ts';
import type { Played } from './kinds/played.ts';
import { pick } from './mutate.ts';
import { selections, watchingQueries } from './queries.ts';
import { type Asking, bodyOf, filled, pathOf } from './steps.ts';

/** A watch, and what is done while it goes on. */
export interface Watching {
  readonly played: Played;
  readonly query: string;
  readonly deeds: readonly Asking[];
}

export function nextWatching(played: Played, random: Random): Watching {
  const query = ['watch=true', pick(selections, random) ?? '', pick(watchingQueries, random) ?? ''];
  const collection = pathOf(played);
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const example = pick(played.examples, random) ?? {};
  const create = JSON.stringify(bodyOf(played, { name: 'o-1', example }));
  const merge = { ...headers, 'content-type': 'application/merge-patch+json' };
  const edits = [{ labels: { app: 'a' } }, { labels: { app: 'b' } }, { labels: null }, { annotations: { a: 'b' } }];
  const patches = Array.from({ length: random.below(4) }, (): Asking => {
    const body = JSON.stringify({ metadata: pick(edits, random) });
    return { method: 'PATCH', path: `${collection}/o-1`, headers: merge, body };
  });
  return {
    played,
    query: query.filter((part) => part !== '').join('&'),
    deeds: [
      { method: 'POST', path: collection, headers, body: create },
      ...patches,
      { method: 'DELETE', path: `${collection}/o-1`, headers, body: JSON.stringify({ gracePeriodSeconds: 0 }) },
    ],
  };
}

export function requestOfWatch({ played, query }: Watching, current: JsonObject | undefined): Asking {
  return {
    method: 'GET',
    path: `${pathOf(played)}?${filled(query, current)}`,
    headers: { accept: 'application/json' },
  };
}

/** Within it, a server of the same machine has told what it knows. */
const tellsWithinMs = 120;

/** The answer to a watch: its events in a list. */
export async function watch(
  side: Requests,
  { asked, deeds }: { readonly asked: Asking; readonly deeds: readonly Asking[] },
): Promise<Said> {
  const over = new AbortController();
  const wait = (): Promise<unknown> => sleep(systemClock, tellsWithinMs, { signal: over.signal });
  let text = '';
  const heard = (part: string): void => {
    text += part;
  };
  const ended = side.ask({ ...asked, signal: over.signal, heard }).then(saidBy, () => undefined);
  await wait();
  for (const deed of deeds) await side.ask(deed);
  await wait();
  over.abort();
  return (await ended) ?? { code: 200, warnings: '', body: sentBy(text) };
}
