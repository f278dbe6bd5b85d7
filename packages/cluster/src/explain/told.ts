import type { Event } from '../api/generated/core-v1.ts';
import { events } from '../api/generated/kinds.ts';
import type { KubeObject } from '../api/meta.ts';
import type { Index } from '../client/cache.ts';
import type { ExplainWorld } from './world.ts';

/** Thousands of pods may be asked about one after the other. */
const eventsByObject: Index<Event> = {
  name: 'involvedObject.uid',
  valuesOf: ({ involvedObject: { uid = '' } }) => [uid],
};

/** What was last said of an object for one of the reasons, in the events that are still there. */
export function toldOf(
  { metadata }: KubeObject,
  {
    world,
    reasons,
    isMeant = () => true,
  }: {
    readonly world: ExplainWorld;
    readonly reasons: readonly string[];
    readonly isMeant?: (message: string) => boolean;
  },
): string | undefined {
  let latest: { readonly at: string; readonly message: string } | undefined;
  for (const event of world.caches.of(events).by(eventsByObject, metadata.uid)) {
    if (!reasons.includes(event.reason ?? '') || !isMeant(event.message ?? '')) continue;
    const at = event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? '';
    if (latest === undefined || at >= latest.at) latest = { at, message: event.message ?? '' };
  }
  return latest && saidBy(latest.message);
}

/** What refuses, without what events put before it: that many were alike, and what could not be made. */
function saidBy(message: string): string {
  return message.replace(combined, '').replace(failedCreate, '');
}

const combined = '(combined from similar events): ';
const failedCreate = /^(Error creating( job)?|create Pod \S+ in StatefulSet \S+ failed error): /;
