import { type Action, fromTimestamp, type StatefulSet, statefulsets, toTimestamp } from '@signalbox/cluster';

/*
 * Shards that are not handed over, and go for good. They go on running until the others must have read their configuration:
 * what they still scrape until they have read it themselves would be scraped by nobody otherwise.
 */

/** On a StatefulSet: when it goes. RFC 3339. */
export const leavesAtAnnotation = 'signalbox.dev/leaves-at';

/** What a slow kubelet needs until it has brought the configuration, and discovery until it hands over its targets. */
export const leaveMs = 95_000;

export interface Leaving {
  /** Those whose time has not come. */
  readonly kept: readonly StatefulSet[];
  /** Their time is written once, so that it is the same for whoever looks. */
  readonly marks: readonly Action[];
  readonly againInMs: number | undefined;
}

export function planLeaving(sets: readonly StatefulSet[], nowMs: number): Leaving {
  const left = sets.map((set) => ({ set, leftMs: leftOf(set, nowMs) }));
  const kept = left.filter(({ leftMs }) => leftMs === undefined || leftMs > 0);
  return {
    kept: kept.map(({ set }) => set),
    marks: kept.flatMap(({ set, leftMs }) => (leftMs === undefined ? [mark(set, nowMs)] : [])),
    againInMs: kept.length === 0 ? undefined : Math.min(...kept.map(({ leftMs }) => leftMs ?? leaveMs)),
  };
}

/** Undefined: nobody has written it yet, it is no time, or the clock was put back since. */
function leftOf({ metadata }: StatefulSet, nowMs: number): number | undefined {
  const atMs = fromTimestamp(metadata.annotations?.[leavesAtAnnotation] ?? '');
  return Number.isNaN(atMs) || atMs > nowMs + leaveMs + 1_000 ? undefined : atMs - nowMs;
}

function mark(target: StatefulSet, nowMs: number): Action {
  const annotations = { [leavesAtAnnotation]: toTimestamp(nowMs + leaveMs) };
  return { do: 'patch', type: statefulsets, target, patchType: 'merge', body: { metadata: { annotations } } };
}

export const nobodyLeaves: Leaving = { kept: [], marks: [], againInMs: undefined };
