import { type Action, type KubeObject, resourceName } from '@signalbox/cluster';
import type { Fact } from '../../resources/condition.ts';
import type { Told } from './ledger.ts';
import type { Reach } from './reach.ts';

/** What a root says of a monitor, and what the monitor finds for it. */
export interface Seen {
  readonly told: Told;
  readonly reach: Reach;
}

/** Since when nothing is found for a root, by its kind and key. */
export type BarrenSince = ReadonlyMap<string, number>;

/** What is to be said of a root: that nothing is found, that something is, what stands already, or nothing any more. */
export type Say = 'as it was' | 'found' | 'unknown' | { readonly reason: string; readonly message: string };

export interface Barrenness {
  readonly since: BarrenSince;
  readonly says: ReadonlyMap<Told, Say>;
  /** For all roots together. */
  readonly overall: Say;
  readonly againInMs: number | undefined;
}

/** Pods come a while after their monitor, and for a moment all of them may be gone. */
export const barrenGraceMs = 60_000;
/** What no change tells is noticed then. */
const lookAgainMs = 300_000;

/** Nothing is said before it has held for a minute. Pure. */
export function barrennessOf(
  seen: readonly Seen[],
  { nowMs, since: before = none }: { readonly nowMs: number; readonly since: BarrenSince | undefined },
): Barrenness {
  const since = new Map<string, number>();
  const says = new Map<Told, Say>();
  const waits: number[] = [];
  for (const { told, reach } of seen) {
    if (told.refusal !== '') continue;
    if (reach.finds !== 'nothing') {
      says.set(told, withoutDoubt[reach.finds]);
      continue;
    }
    const id = idOf(told);
    const sinceMs = before.get(id) ?? nowMs;
    since.set(id, sinceMs);
    const waitMs = sinceMs + barrenGraceMs - nowMs;
    waits.push(waitMs > 0 ? waitMs : lookAgainMs);
    says.set(told, waitMs > 0 ? 'as it was' : { reason: reach.reason, message: reach.message });
  }
  return {
    since,
    says,
    overall: overallOf([...says.values()]),
    againInMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

const withoutDoubt = { something: 'found', pending: 'as it was', unknown: 'unknown' } as const;

const none: BarrenSince = new Map();

function idOf({ rootType, namespace, name }: Told): string {
  return `${resourceName(rootType)} ${namespace}/${name}`;
}

function overallOf(says: readonly Say[]): Say {
  if (says.includes('found')) return 'found';
  const [first = 'unknown'] = says;
  if (says.includes('as it was')) return 'as it was';
  return says.includes('unknown') ? 'unknown' : first;
}

export const noTargets = 'NoTargets';
export const targetsFound = 'TargetsFound';

export function barrenEvent(monitor: KubeObject, message: string): Action {
  const { kind, metadata } = monitor;
  return {
    do: 'emit',
    regarding: monitor,
    type: 'Warning',
    reason: noTargets,
    note: `${message}, so nothing is collected; signalbox explain ${kind.toLowerCase()} ${metadata.name} -n ${metadata.namespace ?? 'default'} says more`,
  };
}

/** Undefined: nothing is said. That something is found is said where the opposite was. */
export function foundFact(say: Say, isKnown: boolean): Fact | undefined {
  if (say === 'as it was' || say === 'unknown') return undefined;
  if (say !== 'found') return { type: targetsFound, status: 'False', ...say };
  return isKnown ? { type: targetsFound, status: 'True', reason: targetsFound, message: '' } : undefined;
}
