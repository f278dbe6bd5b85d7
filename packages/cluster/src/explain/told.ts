import { events } from '../api/generated/kinds.ts';
import type { KubeObject } from '../api/meta.ts';
import type { ExplainWorld } from './world.ts';

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
  for (const event of world.caches.of(events).inNamespace(metadata.namespace ?? 'default')) {
    if (event.involvedObject.uid !== metadata.uid || !reasons.includes(event.reason ?? '')) continue;
    if (!isMeant(event.message ?? '')) continue;
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
