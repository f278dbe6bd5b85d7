import { type Detail, formatAmount, podSlots, type Shortage } from '../detail.ts';
import type { NodeView } from '../node-view.ts';
import {
  fits,
  type Reason,
  type Rejection,
  rejects,
  rejectsForGood,
  rejectsWith,
  type SchedulerPlugin,
} from '../plugin.ts';
import type { PodView } from '../pod-view.ts';
import { plainResources as plain } from '../room.ts';
import { type FillingStrategy, fillingScore } from './filling.ts';

export interface NodeResourcesFitArgs {
  readonly scoringStrategy: FillingStrategy;
  /** Names that are not looked at, and beginnings of names before the slash. */
  readonly ignoredResources: readonly string[];
  readonly ignoredResourceGroups: readonly string[];
}

/** What a pod requests must still be free on the node. Prefers nodes with the most left, or whatever the strategy says. */
export function resourcesFit(args: NodeResourcesFitArgs): SchedulerPlugin {
  const ignored = new Set(args.ignoredResources);
  const groups = new Set(args.ignoredResourceGroups);
  const isIgnored = (name: string): boolean => ignored.has(name) || groups.has(name.split('/', 1)[0] ?? '');
  const looksAway = ignored.size > 0 || groups.size > 0;
  return {
    name: 'NodeResourcesFit',
    looksAt: 'demands',
    wakesOn: ['node/added', 'node/updated', 'pod/removed', 'pod/shrunk'],
    filter(pod, node) {
      const only = onlyShortage(pod, node);
      if (only === 'none') return fits;
      if (only !== undefined) return only;
      return rejectsWith(shortages(pod, { node, isIgnored: looksAway ? isIgnored : never }).map(reasonOf));
    },
    details: (pod, node) => shortages(pod, { node, isIgnored: looksAway ? isIgnored : never }).map(detailOf),
    score: (pod, node) => fillingScore(pod, { node, strategy: args.scoringStrategy }),
  };
}

const never = (): boolean => false;

/** The usual cases, without a list of reasons: nothing is short, or one thing is. Undefined: there is more to be said. */
function onlyShortage(
  { requests }: PodView,
  { allocatable, requested, podCount, podsMax }: NodeView,
): Rejection | 'none' | undefined {
  if (podCount >= podsMax) return undefined;
  for (const _ in requests.extended) return undefined;
  let found: Rejection | 'none' = 'none';
  for (const { resource, amount } of plain) {
    const wanted = requests[amount];
    const whole = allocatable[amount];
    if (wanted <= 0 || wanted <= whole - requested[amount]) continue;
    if (found !== 'none') return undefined;
    found = wanted <= whole ? rejects(`Insufficient ${resource}`) : rejectsForGood(`Insufficient ${resource}`);
  }
  return found;
}

/** Resolvable when an empty node would have enough; of places for pods upstream takes that for granted. */
function reasonOf({ resource, wanted, whole }: Shortage): Reason {
  return resource === podSlots
    ? { text: 'Too many pods', resolvable: true }
    : { text: `Insufficient ${resource}`, resolvable: wanted <= whole };
}

function detailOf(shortage: Shortage): Detail {
  const { resource, wanted, whole } = shortage;
  if (resource === podSlots)
    return { text: 'no pod more may run there', mend: 'remove pods, or raise maxPods of the nodes', shortage };
  const asked = formatAmount(resource, wanted);
  return wanted <= whole
    ? { text: `${asked} ${resource} is not free`, mend: `free ${resource}, or request less`, shortage }
    : {
        text: `${asked} ${resource} is more than the node has`,
        mend: `request less ${resource}, or add larger nodes`,
        shortage,
      };
}

function shortages(
  { requests }: PodView,
  { node, isIgnored }: { readonly node: NodeView; isIgnored(resource: string): boolean },
): readonly Shortage[] {
  const found: Shortage[] = [];
  const { allocatable, requested, podCount, podsMax } = node;
  if (podCount + 1 > podsMax) found.push({ resource: podSlots, wanted: 1, free: podsMax - podCount, whole: podsMax });
  const lacks = (wanted: number, whole: number, taken: number): boolean => wanted > 0 && wanted > whole - taken;
  for (const { resource, amount } of plain) {
    const [wanted, whole, taken] = [requests[amount], allocatable[amount], requested[amount]];
    if (lacks(wanted, whole, taken)) found.push({ resource, wanted, free: whole - taken, whole });
  }
  for (const resource in requests.extended) {
    const wanted = requests.extended[resource] ?? 0;
    const whole = allocatable.extended[resource] ?? 0;
    const taken = requested.extended[resource] ?? 0;
    if (!isIgnored(resource) && lacks(wanted, whole, taken))
      found.push({ resource, wanted, free: whole - taken, whole });
  }
  return found;
}
